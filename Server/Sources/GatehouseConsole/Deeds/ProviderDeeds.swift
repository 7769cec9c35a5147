import GatehouseCore
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire

extension Console {
    /// What can be done to an identity provider, beside switching it on and off.
    static let providerDeeds = [saveProvider, testProvider]

    private static func provider(_ values: FormValues) throws -> Provider {
        guard let name = values["provider"], (1...32).contains(name.utf8.count) else {
            throw Refusal.parameter("provider", "The address names no provider.")
        }
        return Provider(name)
    }

    private static func target(_ values: FormValues) throws -> DeedTarget { .provider(try provider(values)) }

    /// A provider that is set up.
    private static func view(_ visit: Visit, _ values: FormValues) async throws -> ProviderView {
        guard let view = try await visit.run(ReadIdentityProviders())[try provider(values)] else {
            throw Refusal.parameter("provider", visit.words("provider.not-set-up"))
        }
        return view
    }

    // MARK: Settings

    private static func draft(_ visit: Visit, _ values: FormValues) async throws -> (ProviderForm, ProviderDraft) {
        let form = try await visit.providerForm(provider(values), kind: values["kind"])
        let draft = ProviderDraft(
            provider: form.provider, configuration: try form.configuration(from: values, visit),
            secrets: visit.secretChanges(in: values), samePersons: values.isSet("samePersons"))
        return (form, draft)
    }

    private static let saveProvider = DeedKind(
        name: "provider.saved", level: .confirmed, role: .operator, section: "providers",
        fieldBytes: ProviderForm.fieldBytes, target: target,
        fields: { visit, values in
            try await visit.providerForm(provider(values), kind: values["kind"]).fields(visit).map(\.field)
        },
        seal: { visit, values in
            let form = try await visit.providerForm(provider(values), kind: values["kind"])
            return try visit.sealingSecrets(of: form, values)
        },
        preview: { visit, values in
            let (form, draft) = try await draft(visit, values)
            let check: CheckIdentityProvider.Outcome
            do {
                check = try await visit.run(CheckIdentityProvider(draft))
            } catch let refusal as Refusal where refusal.code == .invalidParameter {
                throw form.problem(refusal, visit)
            }
            let differences = differences(form, draft, visit)
            let name = visit.providerName(form.provider)
            var consequences: [String] = []
            if differences.isEmpty { consequences.append(visit.words("provider.save.nothing")) }
            if form.view?.configuration.isEnabled == true {
                consequences.append(visit.words("provider.save.live"))
            } else {
                consequences.append(visit.words("provider.save.off"))
            }
            if form.view?.configuration.keepsProfile ?? true, draft.configuration.keepsProfile == false,
                form.view != nil
            {
                consequences.append(visit.words("provider.save.forgets"))
            }
            if draft.configuration.acceptsUnboundTokens == true {
                consequences.append(visit.words("provider.save.unbound"))
            }
            if check.changesDestinations { consequences.append(visit.words("provider.save.destinations")) }
            if check.takesOver { consequences.append(visit.words("provider.save.takes-over", ["name": name])) }
            consequences.append(visit.words("provider.save.test"))
            var preview = DeedPreview(
                visit.words("provider.save.title", ["name": name]), consequences,
                undo: visit.words("provider.save.undo"), button: visit.words("deed.provider.saved"),
                cancel: visit.providerAddress(form.provider), isDangerous: check.takesOver)
            if check.changesDestinations || check.takesOver { preview.level = .fresh }
            if check.takesOver { preview.typed = form.provider.rawValue }
            if !differences.isEmpty {
                preview.table =
                    Table(
                        visit.words("provider.changes"),
                        [
                            visit.words("provider.setting"), visit.words("provider.before"),
                            visit.words("provider.after"),
                        ],
                        differences, empty: ""
                    ).wrapping
            }
            return preview
        },
        perform: { visit, values, call in
            let (form, draft) = try await draft(visit, values)
            try await call.run(SaveIdentityProvider(draft))
            return DeedResult(visit.providerAddress(form.provider))
        })

    /// What differs between the settings as they are and those of the form. Of a secret only the fact is told.
    private static func differences(_ form: ProviderForm, _ draft: ProviderDraft, _ visit: Visit) -> [TableRow] {
        let old = Dictionary(form.texts.map { ($0.name, $0.text) }) { first, _ in first }
        let view = ProviderView(provider: form.provider, configuration: draft.configuration)
        let changed = ProviderForm(provider: form.provider, kind: form.kind, view: view)
        let new = Dictionary(changed.texts.map { ($0.name, $0.text) }) { first, _ in first }
        func shown(_ text: String?, _ name: String) -> Cell {
            guard let text else { return Cell("–") }
            if ["keepsProfile", "acceptsUnboundTokens", "acceptsSandbox"].contains(name) {
                return Cell(visit.words(text.isEmpty ? "provider.no" : "provider.yes"))
            }
            return Cell(text.count > 200 ? "\(text.prefix(199))…" : text)
        }
        var rows = Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }.map { name in
            TableRow([Cell(visit.words("provider.set.\(name)")), shown(old[name], name), shown(new[name], name)])
        }
        let set = form.view?.secrets ?? [:]
        func state(_ name: String) -> String {
            let isSet = set.keys.contains { $0 == name || $0.begins(with: "\(name).") }
            return visit.words(isSet ? "provider.secret.is-set" : "provider.secret.not-set")
        }
        func label(_ name: String) -> String {
            visit.words.optional("provider.secret.\(name)")
                ?? "\(visit.words("provider.secret.\(name.firstPart(at: "."))")) \(name.parts(at: ".", atMost: 2, withEmpty: true).dropFirst().first ?? "")"
        }
        for name in draft.secrets.removed.subtracting(draft.secrets.values.keys).sorted() {
            rows.append(
                TableRow([Cell(label(name)), Cell(state(name)), Cell(visit.words("provider.secret.is-removed"))]))
        }
        for name in draft.secrets.values.keys.sorted() {
            rows.append(
                TableRow([Cell(label(name)), Cell(state(name)), Cell(visit.words("provider.secret.is-changed"))]))
        }
        return rows
    }

    // MARK: Test

    private static let testProvider = DeedKind(
        name: "provider.tested", level: .plain, role: .operator, section: "providers", target: target,
        preview: { visit, values in
            let view = try await view(visit, values)
            let name = visit.providerName(view.provider)
            return DeedPreview(
                visit.words("provider.test.title", ["name": name]), [visit.words("provider.test.what")],
                undo: visit.words("provider.test.undo"), button: visit.words("deed.provider.tested"),
                cancel: visit.providerAddress(view.provider))
        },
        perform: { visit, values, call in
            let provider = try provider(values)
            guard values["way"] == "login" else {
                try await call.run(TestIdentityProvider(provider: provider, publicURL: visit.publicURL))
                return DeedResult(visit.providerAddress(provider))
            }
            let test = try await visit.run(
                BeginTestLogin(
                    provider: provider, region: values["region"], person: visit.person.id, publicURL: visit.publicURL,
                    results: visit.testLoginResults(provider)), deed: call.deed,
                reason: visit.words("test-login.title", ["name": visit.providerName(provider)]))
            return DeedResult("\(visit.testLoginAddress(provider))/\(test.id)", departure: test.url)
        })
}
