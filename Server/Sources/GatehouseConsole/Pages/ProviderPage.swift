import GatehouseCore
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    /// One provider: what to do at the provider, the settings here, and the test.
    ///
    /// - Parameter looked: what a look-up has filled into the form.
    func providerPage(_ looked: LookedUpIssuer? = nil) async throws -> Response {
        let provider = try namedProvider()
        let form = try await providerForm(provider, kind: looked?.values["kind"] ?? query["kind"])
        guard form.view != nil || may(.operator) else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        let history = try await run(ListDeeds(target: .provider(provider), limit: 30))
        let fields = form.fields(self).map { field, isRare in (field: looked?.filled(field) ?? field, isRare: isRare) }
        var page = Page(providerName(provider), section: "providers")
        page.crumbs = [Link(words("nav.providers"), address("providers"))]
        page.actions = switches(form.view, provider)
        page.result = try await resultLine()
        if page.result != nil, let wrong = form.view?.wrongFindings, wrong > 0,
            let id = query["done"], try await run(ReadDeed(id: id))?.action == "provider.tested"
        {
            page.result = (words("provider.test-wrong", ["count": String(wrong)]), nil)
            page.isResultBad = true
        }
        page.values = [
            "facts": facts(form), "hasFacts": form.view != nil, "steps": steps(form),
            "saveAddress": address("do/provider.saved/check")
                + "?\(FormValues(["provider": provider.rawValue]).encoded)",
            "testAddress": address("do/provider.tested"),
            "hidden": [
                Field("provider", "", .hidden, value: provider.rawValue),
                Field("kind", "", .hidden, value: form.kind.rawValue),
            ] + (looked?.kept ?? []),
            "lookUp": lookUpValues(form, looked),
            "once": once(), "loginTest": loginTestValues(form.view), "mayChange": may(.operator),
            "isSetUp": form.view != nil,
            "fields": fields.filter { !$0.isRare }.map(\.field), "rare": fields.filter(\.isRare).map(\.field),
            "hasLooked": looked?.document != nil,
            "settings": settingFacts(form), "test": testValues(form.view), "history": historyTable(history),
        ]
        if let looked {
            page.values["here"] = providerAddress(provider)
            page.status = looked.problem == nil ? .ok : .unprocessableContent
        }
        return try await show(page, "provider")
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
        guard let view, may(.operator) else { return [] }
        let name = view.configuration.isEnabled ? "provider.disabled" : "provider.enabled"
        return [
            Link(
                words("deed.\(name)"), deed(name, ["provider": provider.rawValue]),
                // Nobody should be led to switch on what a test has found wrong.
                style: view.configuration.isEnabled ? "danger" : view.wrongFindings > 0 ? nil : "primary")
        ]
    }

    private func facts(_ form: ProviderForm) -> [Fact] {
        guard let view = form.view else { return [] }
        let ways = view.configuration.ways.map { words("provider.way.\($0)") }.joined(separator: ", ")
        return [
            Fact(words("provider.state"), providerState(view)),
            Fact(words("provider.id"), .code(form.provider.rawValue)),
            Fact(words("provider.kind"), Cell(words("provider.kind.\(form.kind.rawValue)"))),
            Fact(words("provider.ways"), Cell(ways.isEmpty ? "–" : ways)),
            Fact(words("provider.last-test"), testLine(view)),
        ] + missing(view).map { Fact(words("provider.missing-label"), Cell($0, badge: "bad")) }
    }

    /// What is set, for a person who can't change it.
    private func settingFacts(_ form: ProviderForm) -> [Fact] {
        form.texts.map { name, text in Fact(words("provider.set.\(name)"), Cell(text)) }
            + form.kind.offeredSecrets.map { slot in
                Fact(words("provider.secret.\(slot.name)"), Cell(form.hint(of: slot, self, isFull: false)))
            }
    }

    private func testValues(_ view: ProviderView?) -> [String: Any] {
        guard let view, let test = view.lastTest else {
            return ["hasRun": false, "findings": [String](), "isOld": false, "line": ""]
        }
        return [
            "hasRun": true, "isOld": test.version != view.configuration.version,
            "line": words("provider.tested-by", ["name": test.person, "time": local.absolute(test.date)]),
            "findings": Self.badges.flatMap { badge in test.findings.filter { $0.verdict == badge.verdict } }.map {
                finding in
                [
                    "verdict": Cell(
                        words("finding.verdict.\(finding.verdict.rawValue)"),
                        badge: Self.badges.first { $0.verdict == finding.verdict }?.badge),
                    "text": text(of: finding),
                ] as [String: Any]
            },
        ]
    }

    /// The style of each verdict, in the order of the list: what is wrong comes first.
    private static let badges: [(verdict: ProviderFinding.Verdict, badge: String)] = [
        (.wrong, "bad"), (.fine, "good"), (.unknown, "plain"),
    ]

    func text(of finding: ProviderFinding) -> String {
        var values = finding.values
        values["length"] = values["seconds"].flatMap { UInt64($0) }.map { local.duration(seconds: $0) }
        let text = words.optional("finding.\(finding.code)", values) ?? finding.text
        return finding.region.map { "\($0): \(text)" } ?? text
    }

    private func historyTable(_ records: [DeedRecord]) -> Table {
        Table(
            words("provider.history"),
            [
                words("timeline.when"), words("timeline.what"), words("provider.changes"), words("timeline.who"),
                words("timeline.why"),
            ],
            records.map { record in
                TableRow([
                    .time(record.date, local), Cell(words("deed.\(record.action)")), Cell(changes(of: record)),
                    Cell(record.personName), Cell(record.reason == record.action ? "–" : record.reason),
                ])
            }, empty: words("provider.history-empty"))
    }

    /// What a deed has changed, as one line.
    private func changes(of record: DeedRecord) -> String {
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
