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

    private static func target(_ values: FormValues) throws -> ActionTarget { .provider(try provider(values)) }

    /// A provider that is set up.
    private static func view(_ page: PageRequest, _ values: FormValues) async throws -> ProviderView {
        guard let view = try await page.run(ReadIdentityProviders())[try provider(values)] else {
            throw Refusal.parameter("provider", page.words("provider.not-set-up"))
        }
        return view
    }

    // MARK: Settings

    private static func draft(_ page: PageRequest, _ values: FormValues) async throws -> (ProviderForm, ProviderDraft) {
        let form = try await page.providerForm(provider(values), kind: values["kind"])
        let draft = ProviderDraft(
            provider: form.provider, configuration: try form.configuration(from: values, page),
            secrets: page.secretChanges(in: values), samePersons: values.isSet("samePersons"))
        return (form, draft)
    }

    private static let saveProvider = DeedKind(
        name: "provider.saved", level: .confirmed, role: .operator, section: "providers",
        fieldBytes: ProviderForm.fieldBytes, target: target,
        fields: { page, values in
            try await page.providerForm(provider(values), kind: values["kind"]).fields(page).map(\.field)
        },
        seal: { page, values in
            let form = try await page.providerForm(provider(values), kind: values["kind"])
            return try page.sealingSecrets(of: form, values)
        },
        preview: { page, values in
            let (form, draft) = try await draft(page, values)
            let check: CheckIdentityProvider.Outcome
            do {
                check = try await page.run(CheckIdentityProvider(draft))
            } catch let refusal as Refusal where refusal.code == .invalidParameter {
                throw form.problem(refusal, page)
            }
            let differences = differences(form, draft, page)
            let name = page.providerName(form.provider)
            var consequences: [String] = []
            if differences.isEmpty { consequences.append(page.words("provider.save.nothing")) }
            if form.view?.configuration.isEnabled == true {
                consequences.append(page.words("provider.save.live"))
            } else {
                consequences.append(page.words("provider.save.off"))
            }
            if form.view?.configuration.keepsProfile ?? true, draft.configuration.keepsProfile == false,
                form.view != nil
            {
                consequences.append(page.words("provider.save.forgets"))
            }
            if draft.configuration.acceptsUnboundTokens == true {
                consequences.append(page.words("provider.save.unbound"))
            }
            if check.changesDestinations { consequences.append(page.words("provider.save.destinations")) }
            if check.takesOver { consequences.append(page.words("provider.save.takes-over", ["name": name])) }
            consequences.append(page.words("provider.save.test"))
            var preview = DeedPreview(
                page.words("provider.save.title", ["name": name]), consequences,
                undo: page.words("provider.save.undo"), button: page.words("deed.provider.saved"),
                cancel: page.providerAddress(form.provider), isDangerous: check.takesOver)
            if check.changesDestinations || check.takesOver { preview.level = .fresh }
            if check.takesOver { preview.typed = form.provider.rawValue }
            if !differences.isEmpty {
                preview.table =
                    Table(
                        page.words("provider.changes"),
                        [
                            page.words("provider.setting"), page.words("provider.before"),
                            page.words("provider.after"),
                        ],
                        differences, empty: ""
                    ).wrapping
            }
            return preview
        },
        perform: { page, values, call in
            let (form, draft) = try await draft(page, values)
            try await call.run(SaveIdentityProvider(draft))
            return DeedResult(page.providerAddress(form.provider))
        })

    /// What differs between the settings as they are and those of the form. Of a secret only the fact is told.
    private static func differences(_ form: ProviderForm, _ draft: ProviderDraft, _ page: PageRequest) -> [TableRow] {
        let old = Dictionary(form.texts.map { ($0.name, $0.text) }) { first, _ in first }
        let view = ProviderView(provider: form.provider, configuration: draft.configuration)
        let changed = ProviderForm(provider: form.provider, kind: form.kind, view: view)
        let new = Dictionary(changed.texts.map { ($0.name, $0.text) }) { first, _ in first }
        func shown(_ text: String?, _ name: String) -> Cell {
            guard let text else { return Cell("–") }
            if ["keepsProfile", "acceptsUnboundTokens", "acceptsSandbox"].contains(name) {
                return Cell(page.words(text.isEmpty ? "provider.no" : "provider.yes"))
            }
            return Cell(text.count > 200 ? "\(text.prefix(199))…" : text)
        }
        var rows = Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }.map { name in
            TableRow([Cell(page.words("provider.set.\(name)")), shown(old[name], name), shown(new[name], name)])
        }
        let set = form.view?.secrets ?? [:]
        func state(_ name: String) -> String {
            let isSet = set.keys.contains { $0 == name || $0.begins(with: "\(name).") }
            return page.words(isSet ? "provider.secret.is-set" : "provider.secret.not-set")
        }
        func label(_ name: String) -> String {
            page.words.optional("provider.secret.\(name)")
                ?? "\(page.words("provider.secret.\(name.firstPart(at: "."))")) \(name.parts(at: ".", atMost: 2, withEmpty: true).dropFirst().first ?? "")"
        }
        for name in draft.secrets.removed.subtracting(draft.secrets.values.keys).sorted() {
            rows.append(
                TableRow([Cell(label(name)), Cell(state(name)), Cell(page.words("provider.secret.is-removed"))]))
        }
        for name in draft.secrets.values.keys.sorted() {
            rows.append(
                TableRow([Cell(label(name)), Cell(state(name)), Cell(page.words("provider.secret.is-changed"))]))
        }
        return rows
    }

    // MARK: Test

    private static let testProvider = DeedKind(
        name: "provider.tested", level: .plain, role: .operator, section: "providers", target: target,
        preview: { page, values in
            let view = try await view(page, values)
            let name = page.providerName(view.provider)
            return DeedPreview(
                page.words("provider.test.title", ["name": name]), [page.words("provider.test.what")],
                undo: page.words("provider.test.undo"), button: page.words("deed.provider.tested"),
                cancel: page.providerAddress(view.provider))
        },
        perform: { page, values, call in
            let provider = try provider(values)
            guard values["way"] == "login" else {
                try await call.run(TestIdentityProvider(provider: provider, publicURL: page.publicURL))
                return DeedResult(page.providerAddress(provider))
            }
            let test = try await page.run(
                BeginTestLogin(
                    provider: provider, region: values["region"], person: page.person.id, publicURL: page.publicURL,
                    results: page.testLoginResults(provider)), confirmation: call.confirmation,
                reason: page.words("test-login.title", ["name": page.providerName(provider)]))
            return DeedResult("\(page.testLoginAddress(provider))/\(test.id)", departure: test.url)
        })
}
