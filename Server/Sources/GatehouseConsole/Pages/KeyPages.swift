import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Hummingbird

extension PageRequest {
    // MARK: Signing keys

    func signingKeysPage() async throws -> Response {
        let keys = try await run(ListSigningKeys())
        var page = Page(words("nav.signing-keys"), section: "signing-keys")
        page.actions = [offer(RotateSigningKey.self, style: "primary")].compactMap { $0 }
        page.result = try await resultLine()
        var card = SectionCard(words("keys.valid"), lines: [words("keys.intro")])
        let table = Table(
            words("nav.signing-keys"), columns(["keys.id", "keys.state", "keys.made", "keys.active", "keys.tokens"]),
            keys.map { key in
                TableRow([
                    .code(key.id), Cell(words("keys.state.\(key.state.rawValue)"), badge: Self.style(of: key.state)),
                    .time(key.createdAt, local), .time(key.activeAt, local),
                    key.tokensUntil.map { .time($0, local) } ?? Cell("–"),
                ])
            }, empty: "")
        card.table = sorted(table)
        card.facts = [Fact(words("keys.address"), .code(keysAddress()))]
        var leak = SectionCard(words("keys.leak"), lines: [words("keys.leak-what")])
        leak.actions = [offer(ReplaceSigningKeys.self, style: "danger")].compactMap { $0 }
        let history = try await history(of: [RotateSigningKey.self, ReplaceSigningKeys.self], targets: [.signingKeys])
        return show(page, [card, leak, history])
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

/// An app's secret keys: which are valid, how one is replaced, and which one has leaked.
extension PageRequest {
    func secretsPage() async throws -> Response { try await secretsPage(leaked: nil) }

    /// Names the key that somebody has pasted. It is in the form's body alone, and no page shows it.
    func leakedSecret(_ form: FormValues) async throws -> Response {
        let text = String((form["secret"] ?? "").prefix(200))
        let found = try await run(ListSecrets()).first { $0.isHash(of: SecretKey(text)) }
        if let found { return Console.redirect(to: address("secrets") + "?leaked=\(found.id)#leak") }
        return try await secretsPage(
            leaked: words(text.begins(with: "gsk_") ? "find.no-secret" : "secrets.leak-no-key"))
    }

    /// - Parameter problem: what is wrong with the key that was pasted.
    private func secretsPage(leaked problem: String?) async throws -> Response {
        let secrets = try await run(ListSecrets())
        let own = secrets.filter { $0.name == nil }
        let records = try await run(.operatorRecords(of: .secrets, limit: 200))
        var page = Page(words("nav.secrets"), section: "secrets")
        page.actions = [offer(CreateSecret.self, style: "primary")].compactMap { $0 }
        page.result = try await resultLine()
        page.here = address("secrets")
        if problem != nil { page.status = .unprocessableContent }
        if let found = secrets.first(where: { $0.id == query["key"] }) {
            page.result = (words("secrets.found", ["key": found.label]), replacement(of: found, own))
        }
        var card = SectionCard(words("secrets.valid"), lines: [words("secrets.intro")])
        card.table = table(of: secrets, own, madeBy: Self.makers(records))
        if own.count > 1 {
            card.actions = [offer(RevokeOldSecrets.self, style: "danger")].compactMap { $0 }
        }
        let history = try await history(
            of: [CreateSecret.self, RevokeSecret.self, RevokeOldSecrets.self], targets: [.secrets])
        let rotation = SecretRotation(secrets).map(guide)
        let leak = leak(problem, secrets.first { $0.id == query["leaked"] }, own)
        return show(page) {
            card
            if let rotation { rotation }
            leak
            if let history { history }
        }
    }

    private func table(of secrets: [AppSecret], _ own: [AppSecret], madeBy makers: [String: String]) -> Table {
        Table(
            words("nav.secrets"),
            [
                words("secrets.key"), words("secrets.name"), words("secrets.scopes"), words("secrets.made"),
                words("secrets.by"), words("secrets.used"),
            ],
            secrets.map { secret in
                var key = Cell.code(secret.hint ?? secret.id)
                if secret.hint != nil { key.note = secret.id }
                return TableRow(
                    [
                        key, Cell(text(secret.title(among: own))), Cell(text(.scopes(secret.scopes))),
                        .time(secret.createdAt, local), Cell(makers[secret.id] ?? "–"),
                        use(of: secret),
                    ],
                    actions: canRevoke(secret, own)
                        ? [offer(RevokeSecret.self, ["key": secret.id], text: words("secrets.revoke"))].compactMap {
                            $0
                        }
                        : [])
            }, empty: "")
    }

    /// When a key was used last, and from where.
    private func use(of secret: AppSecret) -> Cell {
        guard let last = secret.lastUsedAt else { return Cell(words("secrets.never")) }
        var cell = Cell.time(last, local)
        cell.note = secret.lastUsedFrom
        return cell
    }

    /// The last of the app's own keys stays.
    private func canRevoke(_ secret: AppSecret, _ own: [AppSecret]) -> Bool { secret.name != nil || own.count > 1 }

    /// Who has made a key, by its id, as far as it was made lately.
    private static func makers(_ records: [OperatorRecord]) -> [String: String] {
        records.reduce(into: [:]) { makers, record in
            for id in (record.after?.values ?? [:]).keys where record.before?.values[id] == nil {
                makers[id] = record.personName
            }
        }
    }

    // MARK: Rotation

    /// The steps from one own key to the next. Each is ticked by what the server knows.
    private func guide(_ rotation: SecretRotation) -> HTML {
        let isSafe = rotation.isSafe(at: moment)
        return card("secrets.rotate", id: "rotation") {
            p { words("secrets.rotate-what") }
            ol(.class("verdicts first-steps")) {
                step("make", done: rotation.former == nil ? nil : rotation.newest.createdAt) {
                    if rotation.former == nil, let make = offer(CreateSecret.self) { make }
                }
                step("deploy", done: rotation.deployedAt) {}
                step(
                    "silence", done: rotation.isSilent(at: moment) ? rotation.silentSince : nil,
                    note: rotation.former.map { silence($0, rotation) }
                ) {}
                step("revoke", done: nil) {
                    if let former = rotation.former {
                        Cell(
                            words(isSafe ? "secrets.safe" : "secrets.not-safe"), badge: isSafe ? "good" : "warn")
                        " "
                        if let revoke = offer(RevokeSecret.self, ["key": former.id], text: words("secrets.revoke")) {
                            revoke
                        }
                    }
                }
            }
        }
    }

    /// - Parameters:
    ///   - note: what an open step waits for.
    ///   - more: what can be done.
    private func step(
        _ name: String, done: Moment?, note: String? = nil, @HTMLBuilder _ more: () -> HTML
    ) -> HTML {
        let more = more()
        let since = done.map { done in
            words(
                name == "deploy" ? "start.last" : "start.since",
                ["date": local.absolute(done), "when": local.relative(done)])
        }
        let note = since ?? note
        return li {
            Cell(words(done == nil ? "start.open" : "start.done"), badge: done == nil ? "plain" : "good")
            span {
                words("secrets.rotate.\(name)")
                if let note {
                    " "
                    span(.class("small")) { note }
                }
            }
            span { more }
        }
    }

    /// Since when the former key is silent, and from when on that is long enough.
    private func silence(_ former: AppSecret, _ rotation: SecretRotation) -> String {
        words(
            former.lastUsedAt == nil ? "secrets.silent-unused" : "secrets.silent-from",
            [
                "key": former.hint ?? former.id, "date": local.absolute(rotation.silentFrom ?? moment),
                "when": local.relative(rotation.silentSince ?? moment),
            ])
    }

    // MARK: A leaked key

    /// What is done about a key that others know. The reason can be changed before it is sent.
    private func replacement(of leaked: AppSecret, _ own: [AppSecret]) -> Link? {
        let reason = words("secrets.leak-reason", ["key": leaked.label])
        guard canRevoke(leaked, own) else { return offer(CreateSecret.self, ["reason": reason]) }
        return offer(RevokeSecret.self, ["key": leaked.id, "reason": reason], text: words("secrets.revoke"))
    }

    private func leak(_ problem: String?, _ found: AppSecret?, _ own: [AppSecret]) -> HTML {
        var field = Field(
            "secret", words("secrets.leak-key"), .password, help: words("secrets.leak-help"), isRequired: true,
            limit: 200, autocomplete: "off")
        field.problem = problem
        return card("secrets.leak", id: "leak") {
            if let found {
                p(.class("notice warn"), .role("status")) {
                    words(
                        "secrets.leak-found", ["key": found.label, "name": text(found.title(among: own))])
                    " "
                    if !canRevoke(found, own) { "\(words("secrets.only")) " }
                    if let replacement = replacement(of: found, own) { replacement }
                }
            }
            changing(address("secrets/leaked")) {
                field
                div(.class("buttons")) { button { words("secrets.leak-button") } }
            }
        }
    }
}
