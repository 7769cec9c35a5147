import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension PageRequest {
    /// One provider: how far it is set up, what to do at the provider, the settings here, and the test.
    ///
    /// - Parameter looked: what a look-up has filled into the form.
    func providerPage(_ looked: LookedUpIssuer? = nil) async throws -> Response {
        let provider = try namedProvider()
        let form = try await providerForm(provider, kind: looked?.values["kind"] ?? query["kind"])
        guard form.view != nil || may(.operator) else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        let history = try await run(.operatorRecords(of: .provider(provider), limit: 50))
        let use = try await run(.providerUse)
        let hasPlayers = try await run(ReadProviderHasPlayers(provider: provider))
        var page = Page(providerName(provider), section: "providers")
        page.crumbs = [Link(words("nav.providers"), address("providers"))]
        page.actions = switches(form.view, provider)
        page.result = try await resultLine()
        if page.result != nil, let wrong = form.view?.wrongCauses, wrong > 0,
            let id = query["done"], try await run(.operatorRecord(id))?.action == TestIdentityProvider.about.name
        {
            page.result = (words("provider.test-wrong", ["count": Words.number(wrong)]), nil)
            page.isResultBad = true
        }
        if let looked {
            page.here = providerAddress(provider)
            page.status = looked.problem == nil ? .ok : .unprocessableContent
        }
        return show(page) {
            if form.view != nil { section(.class("card")) { Facts(facts(form, use)) } }
            if let document = looked?.document { found(document) }
            div(.class("work")) {
                card("provider.progress", id: "progress") { progress(form, hasPlayers: hasPlayers) }
                card("provider.there", id: "there") { steps(form) }
            }
            card("provider.here", id: "here") {
                if may(.operator) { settings(form, looked) } else { Facts(settingFacts(form)) }
            }
            div(.class("work")) {
                card("provider.test", id: "test") {
                    if let view = form.view { test(view) } else { empty("provider.test-later") }
                }
                if let view = form.view { card("provider.tests", id: "tests") { tests(in: history, view) } }
            }
            card("provider.history", id: "history") {
                historyTable(history.filter { $0.action != TestIdentityProvider.about.name }.prefix(30))
            }
        }
    }

    private func hidden(_ form: ProviderForm, _ looked: LookedUpIssuer?) -> [Field] {
        [
            Field("provider", "", .hidden, value: form.provider.rawValue),
            Field("kind", "", .hidden, value: form.kind.rawValue),
        ] + (looked?.kept ?? [])
    }

    /// The form with what is set.
    private func settings(_ form: ProviderForm, _ looked: LookedUpIssuer?) -> HTML {
        let fields = form.fields(self).map { field, isRare in (field: looked?.filled(field) ?? field, isRare: isRare) }
        let target = FormValues(["provider": form.provider.rawValue])
        return changing(formAddress(of: SaveIdentityProvider.self, target, "/check")) {
            all(hidden(form, looked))
            div(.class("fields")) { all(fields.filter { !$0.isRare }.map(\.field)) }
            details(.open(if: looked?.document != nil)) {
                summary { words("provider.more") }
                div(.class("fields")) { all(fields.filter(\.isRare).map(\.field)) }
            }
            div(.class("buttons")) {
                button(.class("primary")) { words("deed.next") }
                if form.kind == .openID {
                    " "
                    button(
                        Attribute("formaction", "\(providerAddress(form.provider))/look-up"),
                        Attribute("formnovalidate", if: true)
                    ) { words("look-up.button") }
                }
            }
            p(.class("small")) { words("deed.next-help") }
            if form.kind == .openID { p(.class("small")) { words("look-up.help") } }
        }
    }

    /// The provider of the address.
    func namedProvider() throws -> Provider {
        let provider = Provider(segment("idp"))
        guard provider != .guest, (1...32).contains(provider.rawValue.utf8.count) else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        return provider
    }

    /// The form of a provider as it is set, or of one that is not set up yet.
    func providerForm(_ provider: Provider, kind: String?) async throws -> ProviderForm {
        let view = try await run(ReadIdentityProviders())[provider]
        let kind =
            view?.configuration.kind ?? kind.flatMap { ProviderKind(rawValue: $0) }
            ?? ProviderKind(standardFor: provider)
        return ProviderForm(provider: provider, kind: kind, view: view)
    }

    private func switches(_ view: ProviderView?, _ provider: Provider) -> [Link] {
        guard let view else { return [] }
        let fields = ["provider": provider.rawValue]
        let link =
            view.configuration.isEnabled
            ? offer(DisableIdentityProvider.self, fields, style: "danger")
            // Nobody should be led to switch on what a test has found wrong.
            : offer(EnableIdentityProvider.self, fields, style: view.wrongCauses > 0 ? nil : "primary")
        return [link].compactMap(\.self)
    }

    private func facts(_ form: ProviderForm, _ use: ProviderUse) -> [Fact] {
        guard let view = form.view else { return [] }
        let ways = view.configuration.ways.map { words("provider.way.\($0)") }.joined(separator: ", ")
        return [
            Fact(words("provider.state"), providerState(view)),
            Fact(words("provider.use", ["count": Words.number(ProviderUse.days)]), share(of: form.provider, in: use)),
            Fact(words("provider.failures"), failures(of: form.provider, in: use)),
            Fact(words("provider.id"), .code(form.provider.rawValue)),
            Fact(words("provider.kind"), kind(of: form)),
            Fact(words("provider.ways"), Cell(ways.isEmpty ? "–" : ways)),
            Fact(words("provider.last-test"), testLine(view)),
        ] + view.missing.map { Fact(words("provider.missing-label"), Cell(text($0), badge: "bad")) }
    }

    private func kind(of form: ProviderForm) -> Cell {
        var cell = Cell(words("provider.kind.\(form.kind.rawValue)"))
        cell.provider = form.provider.rawValue
        return cell
    }

    /// What is set, for a person who can't change it.
    private func settingFacts(_ form: ProviderForm) -> [Fact] {
        let texts = form.view?.configuration.settingTexts ?? [:]
        return form.kind.offeredSettings.filter { $0.name != "origin" }.compactMap { setting in
            texts[setting.name].map { Fact(words("provider.set.\(setting.name)"), Cell($0)) }
        }
            + form.kind.offeredSecrets.map { slot in
                Fact(words("provider.secret.\(slot.name)"), Cell(form.hint(of: slot, self, isFull: false)))
            }
    }

    private func historyTable(_ records: some Sequence<OperatorRecord>) -> Table {
        Table(
            words("provider.history"),
            [
                words("timeline.when"), words("timeline.what"), words("provider.changes"), words("timeline.who"),
                words("timeline.why"),
            ],
            records.map { record in
                TableRow([
                    .time(record.date, local), Cell(words("deed.\(record.action)")), Cell(changes(of: record)),
                    Cell(record.personName), Cell(record.givenReason),
                ])
            }, empty: words("provider.history-empty"))
    }

    /// What an action has changed, as one line.
    private func changes(of record: OperatorRecord) -> String {
        guard let before = record.before, let after = record.after else { return "–" }
        let changes = before.difference(to: after).filter { $0.name != "isEnabled" }.map { name, before, after in
            let label = words.optional("provider.set.\(name)") ?? name
            guard name != "secrets" else { return words("provider.secrets-changed") }
            return "\(label): \(Self.short(before)) → \(Self.short(after))"
        }
        return changes.isEmpty ? "–" : changes.joined(separator: " · ")
    }

    private static func short(_ text: String?) -> String {
        guard let text else { return "–" }
        return text.count > 80 ? "\(text.prefix(79))…" : text
    }
}

/// A provider's form after its issuer was looked up: what was typed, and what the provider says of itself.
struct LookedUpIssuer {
    var values: FormValues
    /// Nil if nothing was found.
    var document: Discovery.Document?
    /// What is wrong with the issuer.
    var problem: String?

    /// The field with what was typed or found. Secrets are not shown again.
    func filled(_ field: Field) -> Field {
        guard !field.name.begins(with: "secret.") else { return field }
        var field = field
        field.value = values[field.name] ?? ""
        if field.name == "set.issuer" { field.problem = problem }
        return field
    }

    /// The secrets that were typed, sealed until the form is sent.
    var kept: [Field] {
        values["sealed"].map { [Field("sealed", "", .hidden, value: $0)] } ?? []
    }
}

extension PageRequest {
    /// Fills the form of an OpenID Connect provider from its discovery document. Nothing is saved.
    func lookUpIssuer(_ sent: FormValues) async throws -> Response {
        let provider = try namedProvider()
        let form = try await providerForm(provider, kind: sent["kind"])
        guard form.kind == .openID else { throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404) }
        var sent = sent
        sent["provider"] = provider.rawValue
        var looked = LookedUpIssuer(values: try sealingSecrets(of: form, sent))
        let configuration = form.view?.configuration
        let issuer = looked.values["set.issuer"] ?? ""
        let found = try await run(
            LookUpIssuer(
                provider: provider, issuer: issuer,
                origin: looked.values["set.origin"] ?? configuration?.origin,
                trustedCertificates: form.certificates(in: looked.values)))
        switch found {
        case .found(let document): looked.fill(document)
        case .noAddress: looked.problem = words("look-up.no-address")
        case .notPublic: looked.problem = words("look-up.not-public")
        case .failed(let why): looked.problem = words("look-up.failed", ["why": why])
        }
        return try await providerPage(looked)
    }

    /// What a look-up has found that no field of the form has.
    @HTMLBuilder func found(_ document: Discovery.Document) -> HTML {
        p(.class("notice good"), .role("status")) { words("look-up.filled") }
        section(.class("card")) {
            Facts([
                Fact(words("look-up.page"), .code(document.authorizationURL ?? "–")),
                Fact(words("look-up.token"), .code(document.tokenURL ?? "–")),
                Fact(words("provider.set.keysURL"), .code(document.keysURL)),
                Fact(
                    words("provider.set.clientAuthentication"),
                    Cell(document.tokenAuthentication?.joined(separator: ", ") ?? "client_secret_basic")),
                Fact(
                    words("provider.set.algorithms"),
                    Cell(document.signingAlgorithms?.joined(separator: ", ") ?? "RS256")),
            ])
        }
    }
}

extension LookedUpIssuer {
    /// Fills in what there is a setting for. The login page and the token address are always read from the document.
    fileprivate mutating func fill(_ document: Discovery.Document) {
        self.document = document
        values["set.keysURL"] = document.keysURL
        values["set.revocationURL"] = document.revocationURL
        let known = OpenIDVerifier.supportedAlgorithms.filter { document.signingAlgorithms?.contains($0) ?? false }
        values["set.algorithms"] = known.isEmpty ? nil : known.joined(separator: "\n")
    }
}
