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
        sheet.table = Table(
            words("nav.signing-keys"),
            [words("keys.id"), words("keys.state"), words("keys.made"), words("keys.active"), words("keys.tokens")],
            keys.map { key in
                TableRow([
                    .code(key.id), Cell(words("keys.state.\(key.state.rawValue)"), badge: Self.style(of: key.state)),
                    .time(key.createdAt, local), .time(key.activeAt, local),
                    key.tokensUntil.map { .time($0, local) } ?? Cell("–"),
                ])
            }, empty: "")
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
        guard case .only(let origins) = console.settings.origins, let origin = origins.sorted().first else {
            return path
        }
        return origin + path
    }

    // MARK: Secret keys

    func secretsPage() async throws -> Response {
        let secrets = try await run(ListSecrets())
        let own = secrets.filter { $0.name == nil }
        var page = Page(words("nav.secrets"), section: "secrets")
        page.actions = [offer("secret.created", style: "primary")].compactMap { $0 }
        page.result = try await resultLine()
        if let found = secrets.first(where: { $0.id == query["key"] }) {
            page.result = (words("secrets.found", ["key": found.label]), nil)
        }
        var sheet = Sheet(words("secrets.valid"), lines: [words("secrets.intro")])
        sheet.table = Table(
            words("nav.secrets"),
            [
                words("secrets.id"), words("secrets.key"), words("secrets.name"), words("secrets.scopes"),
                words("secrets.made"),
                words("secrets.used"),
            ],
            secrets.map { secret in
                TableRow(
                    [
                        .code(secret.id), secret.hint.map { .code($0) } ?? Cell("–"),
                        Cell(text(secret.title(among: own))),
                        Cell(text(.scopes(secret.scopes))),
                        .time(secret.createdAt, local), usedCell(secret),
                    ],
                    actions: secret.name == nil && own.count == 1
                        ? []
                        : [offer("secret.revoked", ["key": secret.id], text: words("secrets.revoke"))]
                            .compactMap { $0 })
            }, empty: "")
        if own.count > 1 {
            sheet.actions = [offer("secret.revoked-old", style: "danger")].compactMap { $0 }
        }
        let history = try await history(
            of: ["secret.created", "secret.revoked", "secret.revoked-old"], targets: [.secrets])
        return show(page, [sheet, history])
    }

    private func usedCell(_ secret: AppSecret) -> Cell {
        secret.lastUsedAt.map { .time($0, local) } ?? Cell(words("secrets.never"))
    }
}
