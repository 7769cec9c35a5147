import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// The app's rules: accounts, transfer, limits, and its keys.
extension Console {
    static func addRules(to pages: Pages) {
        pages.app("/accounts") { page in try await page.accountsPage() }
        pages.app("/transfer") { page in try await page.transferPage() }
        pages.app("/limits") { page in try await page.limitsPage() }
        pages.app("/signing-keys", as: .owner) { page in try await page.signingKeysPage() }
        pages.app("/secrets", as: .owner) { page in try await page.secretsPage() }
        pages.appForm("/secrets/leaked", as: .owner) { page, form in try await page.leakedSecret(form) }
    }

}

extension PageRequest {
    fileprivate func accountsPage() async throws -> Response {
        let card = try settings(SetAccountPolicy.self)
        return try await settingsPage(SetAccountPolicy.self, [card])
    }

    fileprivate func limitsPage() async throws -> Response {
        var card = try settings(SetLimits.self)
        card.lines = [words("limits.intro")]
        return try await settingsPage(SetLimits.self, [card])
    }

    fileprivate func transferPage() async throws -> Response {
        let policy = try app().policy
        var card = try settings(SetTransferPolicy.self)
        card.verdict = Cell(
            words(policy.transfer == nil ? "transfer.is-off" : "transfer.is-on"),
            badge: policy.transfer == nil ? "plain" : "good")
        var cards = [card]
        if let transfer = policy.transfer {
            var example = SectionCard(words("transfer.example"), lines: [text(transfer.strength)])
            example.facts = self.example(of: transfer)
            cards.append(example)
        }
        return try await settingsPage(SetTransferPolicy.self, cards)
    }

    /// A page of settings with its one change, and with what operators have changed before.
    private func settingsPage(_ action: any SettingsAction.Type, _ cards: [SectionCard]) async throws -> Response {
        let section = action.about.section
        var page = Page(words("nav.\(section)"), section: section)
        page.actions = [offer(action, style: "primary")].compactMap { $0 }
        page.result = try await resultLine()
        return try await show(page, cards + [history(of: [action])])
    }

    /// A pair as a player would get it.
    func example(of transfer: TransferPolicy) -> [Fact] {
        [
            Fact(words("transfer.id"), .code(transfer.id.example(random: console.random))),
            Fact(words("sign-in.password"), .code(transfer.password.example(random: console.random))),
        ]
    }
}

extension PageRequest {
    /// The app's settings with their defaults and meanings.
    private func settings<A: SettingsAction>(_ action: A.Type) throws -> SectionCard {
        let defaults = Dictionary(try A.standard.map { ($0.name, $0.value) }) { first, _ in first }
        var card = SectionCard(words("setting.current"))
        card.table =
            Table(
                words("nav.\(A.about.section)"),
                [words("setting.name"), words("setting.now"), words("setting.default"), words("setting.counts")],
                try A.values(of: app()).map { setting in
                    TableRow([
                        Cell(words("setting.\(setting.name)"), note: words("setting.\(setting.name).help")),
                        Cell(text(setting.value)), Cell(defaults[setting.name].map(text) ?? "–"),
                        Cell(words("setting.\(setting.name).from")),
                    ])
                }, empty: ""
            ).wrapping
        return card
    }
}
