import GatehouseCore
import GatehouseHTML
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
        if let looked {
            page.here = providerAddress(provider)
            page.status = looked.problem == nil ? .ok : .unprocessableContent
        }
        return show(page) {
            if form.view != nil { section(.class("card")) { Facts(facts(form)) } }
            if let document = looked?.document { found(document) }
            div(.class("work")) {
                part(1, "there") { steps(form) }
                part(2, "here") {
                    if may(.operator) { settings(form, looked) } else { Facts(settingFacts(form)) }
                }
                part(3, "test") {
                    if let view = form.view { test(view, hidden(form, looked)) } else { empty("provider.test-later") }
                }
            }
            card("provider.history", id: "history") {
                historyTable(history)
            }
        }
    }

    private func part(_ number: Int, _ name: String, @HTMLBuilder _ content: () -> HTML) -> HTML {
        section(.class("card"), .id(name)) {
            h2 {
                span(.class("number")) { String(number) }
                " \(words("provider.\(name)"))"
            }
            content()
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
        let query = FormValues(["provider": form.provider.rawValue]).encoded
        return changing("\(address("do/provider.saved/check"))?\(query)") {
            all(hidden(form, looked))
            all(fields.filter { !$0.isRare }.map(\.field))
            details(.open(if: looked?.document != nil)) {
                summary { words("provider.more") }
                all(fields.filter(\.isRare).map(\.field))
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

    /// The test of the settings with what the last one has found, and that of a login.
    @HTMLBuilder private func test(_ view: ProviderView, _ hidden: [Field]) -> HTML {
        if may(.operator) {
            changing(address("do/provider.tested")) {
                self.hidden("once", once())
                all(hidden)
                p(.class("help")) { words("provider.test-help") }
                div(.class("buttons")) { button { words("provider.test-now") } }
            }
        }
        if let test = view.lastTest {
            p(.class("small")) {
                words("provider.tested-by", ["name": test.person, "time": local.absolute(test.date)])
            }
            if test.version != view.configuration.version {
                p(.class("notice warn")) { words("provider.test-old") }
            }
            ul(.class("findings")) {
                for (verdict, badge) in Self.badges {
                    for finding in test.findings where finding.verdict == verdict {
                        li {
                            Cell(words("finding.verdict.\(verdict.rawValue)"), badge: badge)
                            " "
                            span { text(of: finding) }
                        }
                    }
                }
            }
        } else {
            empty("provider.untested")
        }
        if may(.operator) { loginTest(view, hidden) }
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
        ] + view.missing.map { Fact(words("provider.missing-label"), Cell(text($0), badge: "bad")) }
    }

    /// What is set, for a person who can't change it.
    private func settingFacts(_ form: ProviderForm) -> [Fact] {
        form.texts.map { name, text in Fact(words("provider.set.\(name)"), Cell(text)) }
            + form.kind.offeredSecrets.map { slot in
                Fact(words("provider.secret.\(slot.name)"), Cell(form.hint(of: slot, self, isFull: false)))
            }
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
