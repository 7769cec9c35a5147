import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    // MARK: Signing keys

    func signingKeysPage() async throws -> Response {
        let keys = try await run(ListSigningKeys())
        var page = Page(words("nav.signing-keys"), section: "signing-keys")
        page.actions = [offer("key.rotated", style: "primary")].compactMap { $0 }
        page.result = try await resultLine()
        var sheet = Sheet(words("keys.valid"), lines: [words("keys.intro")])
        let table = Table(
            words("nav.signing-keys"), columns(["keys.id", "keys.state", "keys.made", "keys.active", "keys.tokens"]),
            keys.map { key in
                TableRow([
                    .code(key.id), Cell(words("keys.state.\(key.state.rawValue)"), badge: Self.style(of: key.state)),
                    .time(key.createdAt, local), .time(key.activeAt, local),
                    key.tokensUntil.map { .time($0, local) } ?? Cell("–"),
                ])
            }, empty: "")
        sheet.table = sorted(table)
        sheet.facts = [Fact(words("keys.address"), .code(keysAddress()))]
        var leak = Sheet(words("keys.leak"), lines: [words("keys.leak-what")])
        leak.actions = [offer("key.rotated-revoking", style: "danger")].compactMap { $0 }
        let history = try await history(of: ["key.rotated", "key.rotated-revoking"], targets: [.signingKeys])
        return show(page, [sheet, leak, history])
    }

    private static func style(of state: ListSigningKeys.Key.State) -> String {
        switch state {
        case .signs: "good"
        case .published: "warn"
        case .replaced, .retired: "plain"
        }
    }

    /// Where game servers fetch the public keys.
    private func keysAddress() -> String {
        let app = FormValues.encoded(place?.app.id.rawValue ?? "")
        let path = Endpoints.keys.template.substituting("{appId}", by: app)
        return (console.settings.origins.all.first?.text ?? "") + path
    }
}
