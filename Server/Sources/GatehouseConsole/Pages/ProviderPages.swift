import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// Identity providers.
extension Console {
    static func addProviders(to pages: Pages) {
        pages.app("/providers") { page in try await page.providerList() }
        pages.app("/new-provider", as: .operator) { page in try page.newProvider() }
        pages.app("/providers/:idp") { page in try await page.providerPage() }
        pages.appForm("/providers/:idp/look-up", as: .operator, fieldBytes: FormValues.maximumBytes) { page, form in
            try form.requireFields(upTo: SaveIdentityProvider.fieldBytes, but: [PageRequest.sealedField])
            return try await page.lookUpIssuer(form)
        }
        pages.app("/providers/:idp/test/:test", as: .operator) { page in try await page.testLoginPage() }
    }
}

extension PageRequest {
    func providerAddress(_ provider: Provider) -> String {
        address("providers/\(FormValues.encoded(provider.rawValue))")
    }

    /// What a person calls a provider. One with a name of its own is called by that.
    func providerName(_ provider: Provider) -> String { text(.name(of: provider)) }

    func providerState(_ view: ProviderView?) -> Cell {
        guard let view else { return Cell(words("provider.state.never"), badge: "plain") }
        return view.configuration.isEnabled
            ? Cell(words("provider.state.on"), badge: "good") : Cell(words("provider.state.off"), badge: "warn")
    }

    /// The address at which players reach the server.
    var publicURL: String {
        let origins = console.settings.origins.all
        return (origins.first(where: \.isSecure) ?? origins.first)?.text
            ?? request.head.authority.map { "http://\($0)" } ?? "http://127.0.0.1:8080"
    }

    // MARK: All

    /// The providers with names of their own, the three commonest first.
    private static let known: [Provider] =
        [.google, .apple, .facebook]
        + ProviderKind.allCases.flatMap(\.standardNames).filter { ![.google, .apple, .facebook].contains($0) }

    fileprivate func providerList() async throws -> Response {
        let views = try await run(ReadIdentityProviders())
        let use = try await run(.providerUse)
        let limits = try app().limits
        let others = views.keys.filter { !Self.known.contains($0) }.sorted { $0.rawValue < $1.rawValue }
        let groups = Dictionary(grouping: Self.known + others) { state(of: views[$0]) }
        return show(Page(words("nav.providers"), section: "providers")) {
            for state in ["on", "off", "never"] {
                let providers = groups[state] ?? []
                if !providers.isEmpty || state == "on" {
                    h2 { words("provider.group.\(state)") }
                    ul(.class("cards providers")) {
                        for provider in providers { card(of: provider, views[provider], use) }
                        if state == "on" { guests(limits, use) }
                    }
                }
            }
            if may(.operator) { ownProvider }
        }
    }

    private func state(of view: ProviderView?) -> String {
        view.map { $0.configuration.isEnabled ? "on" : "off" } ?? "never"
    }

    /// Guests, who need no provider. They have no switch; what there is of one is the limit on new ones.
    private func guests(_ limits: AppLimits, _ use: ProviderUse) -> HTML {
        let limit =
            limits.newGuestsPerMinute == 0
            ? words("provider.guest-unlimited")
            : words("provider.guest-limit", ["limit": Chart.grouped(Int64(limits.newGuestsPerMinute))])
        return li(.class("card")) {
            h3 {
                ProviderMark(Provider.guest.rawValue)
                providerLabel(Provider.guest.rawValue)
            }
            p {
                Cell(words("provider.state.on"), badge: "good")
                " "
                code { Provider.guest.rawValue }
            }
            p { share(of: .guest, in: use) }
            p(.class("small")) {
                words("provider.guest")
                " "
                Link(limit, address("limits"))
            }
        }
    }

    private func card(of provider: Provider, _ view: ProviderView?, _ use: ProviderUse) -> HTML {
        let missing = view?.missing.map { text($0) } ?? []
        return li(.class("card")) {
            h3 {
                ProviderMark(provider.rawValue)
                Link(providerName(provider), providerAddress(provider)).ofName
            }
            p {
                providerState(view)
                " "
                code { provider.rawValue }
            }
            if view != nil { p { share(of: provider, in: use) } }
            if !missing.isEmpty {
                ul(.class("missing")) {
                    for text in missing { li { text } }
                }
            }
            p(.class("small")) { view.map(testLine) ?? Cell(words("provider.never-help")) }
        }
    }

    /// The form that leads to the page of a provider with a name of the app's own.
    private var ownProvider: HTML {
        let first: [ProviderKind] = [.openID, .partner]
        let kinds = first + ProviderKind.allCases.filter { !first.contains($0) }
        let fields = [
            Field("idp", words("provider.own-name"), isRequired: true, limit: 32),
            Field(
                "kind", words("provider.kind"),
                .choice(kinds.map { Field.Option($0.rawValue, words("provider.kind.\($0.rawValue)")) }),
                value: ProviderKind.openID.rawValue),
        ]
        return card("provider.own") {
            p(.class("small")) { words("provider.own-name.help") }
            filters(fields, to: address("new-provider"), button: words("provider.set-up"))
        }
    }

    /// What the last test has found, in one line.
    func testLine(_ view: ProviderView) -> Cell {
        guard let test = view.lastTest else { return Cell(words("provider.untested"), badge: "plain") }
        let wrong = view.wrongCauses
        var cell =
            wrong > 0
            ? Cell(words("provider.test-wrong", ["count": Words.number(wrong)]), badge: "bad")
            : Cell(words("provider.test-fine"), badge: "good")
        cell.note = local.relative(test.date)
        guard view.isTested else {
            return Cell(words("provider.test-old"), badge: "warn", note: local.relative(test.date))
        }
        return cell
    }

    // MARK: A new one

    fileprivate func newProvider() throws -> Response {
        let name = (query["idp"] ?? "").lowercased()
        let isName =
            (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d || byte == 0x5f
            }
        guard isName, name != Provider.guest.rawValue else {
            throw Refusal.parameter("idp", words("provider.own-name.help"))
        }
        let kind = query["kind"].flatMap { ProviderKind(rawValue: $0) } ?? .openID
        return Console.redirect(to: "\(providerAddress(Provider(name)))?kind=\(kind.rawValue)")
    }
}
