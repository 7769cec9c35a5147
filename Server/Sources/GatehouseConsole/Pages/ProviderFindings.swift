import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

// The tests of a provider, and what they have found.
extension PageRequest {
    /// The test of the settings with what the last one has found, and that of a login.
    @HTMLBuilder func test(_ view: ProviderView) -> HTML {
        if may(.operator) {
            changing(actionAddress(TestIdentityProvider.self)) {
                hidden("once", once())
                hidden("provider", view.provider.rawValue)
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
                for group in test.findings.byCause { li { self.group(group) } }
            }
        } else {
            empty("provider.untested")
        }
        if may(.operator) { loginTest(view) }
    }

    /// The findings of one cause, and what to do about it.
    @HTMLBuilder private func group(_ group: ProviderFindingGroup) -> HTML {
        p {
            Cell(words("finding.verdict.\(group.verdict.rawValue)"), badge: Self.badge(of: group.verdict))
            " "
            strong { words.optional("finding.cause.\(group.cause)") ?? group.cause }
        }
        for text in texts(of: group) { p { text } }
        if let todo = todo(group) {
            p(.class("todo")) {
                strong { words("refusal.what-to-do") }
                " \(todo)"
            }
        }
    }

    /// The sentences of a group. Calls that failed for one reason are named, and the reason is told once.
    private func texts(of group: ProviderFindingGroup) -> [String] {
        guard group.cause == ProviderFindingGroup.unreachable, group.findings.count > 1,
            let why = group.findings.first?.values["why"]
        else { return group.findings.map(text) }
        let parts = group.findings.map { finding in
            let cause = finding.code.firstPart(at: ".")
            let part = words.optional("finding.cause.\(cause)") ?? cause
            return finding.region.map { "\($0): \(part)" } ?? part
        }
        return [words("finding.not-asked", ["parts": parts.joined(separator: ", "), "why": why])]
    }

    private func todo(_ group: ProviderFindingGroup) -> String? {
        guard group.verdict != .fine else { return nil }
        let worst = group.findings.first { $0.verdict == group.verdict }
        return worst.flatMap { words.optional("finding.do.\($0.code)") }
            ?? (group.isWrong ? words.optional("finding.do.\(group.cause)") : nil)
    }

    private static func badge(of verdict: ProviderFinding.Verdict) -> String {
        switch verdict {
        case .wrong: "bad"
        case .fine: "good"
        case .unknown: "plain"
        }
    }

    func text(of finding: ProviderFinding) -> String {
        var values = finding.values
        values["length"] = values["seconds"].flatMap { UInt64($0) }.map { local.duration(seconds: $0) }
        let text = words.optional("finding.\(finding.code)", values) ?? finding.text
        return finding.region.map { "\($0): \(text)" } ?? text
    }

    // MARK: Earlier tests

    /// Who has tested when, and whether it was with the settings as they are now.
    func tests(in history: [OperatorRecord], _ view: ProviderView) -> Table {
        let now = history.first?.after
        return Table(
            words("provider.tests"),
            ["timeline.when", "timeline.what", "provider.result", "timeline.who"].map { words($0) },
            history.filter { $0.action == TestIdentityProvider.about.name }.prefix(10).map { record in
                let isLogin = record.reason != record.action
                let isLast = !isLogin && record.date == view.lastTest?.date
                let result = words(record.after == now ? "provider.result-now" : "provider.result-old")
                return TableRow([
                    .time(record.date, local),
                    Cell(words(isLogin ? "provider.tests-login" : "provider.tests-settings")),
                    isLast ? lastResult(view) : Cell(result), Cell(record.personName),
                ])
            }, empty: words("provider.untested")
        ).wrapping
    }

    private func lastResult(_ view: ProviderView) -> Cell {
        let wrong = view.wrongCauses
        return wrong > 0
            ? Cell(words("provider.test-wrong", ["count": Words.number(wrong)]), badge: "bad")
            : Cell(words("provider.test-fine"), badge: "good")
    }
}

extension PageRequest {
    /// Where the results of a provider's test logins are shown.
    func testLoginAddress(_ provider: Provider) -> String { "\(providerAddress(provider))/test" }

    /// The form that begins a login as a test, on the page of its provider.
    @HTMLBuilder func loginTest(_ view: ProviderView) -> HTML {
        let configuration = view.configuration
        let regions = (configuration.regions ?? [:]).keys.sorted()
        let first = configuration.clientIds.isEmpty ? [] : [Field.Option("", words("test-login.no-region"))]
        h3 { words("test-login.heading") }
        if configuration.ways.contains(where: { $0 == "browser" }) {
            changing(actionAddress(TestIdentityProvider.self)) {
                hidden("once", once())
                hidden("way", "login")
                hidden("provider", view.provider.rawValue)
                p(.class("help")) { words("test-login.help") }
                if !regions.isEmpty {
                    Field(
                        "region", words("test-login.region"), .choice(first + regions.map { Field.Option($0, $0) }))
                }
                div(.class("buttons")) { button { words("test-login.button") } }
            }
        } else {
            p(.class("empty")) { words("test-login.none") }
        }
    }

    /// Begins a login as a test.
    func beginTestLogin(
        with provider: Provider, region: String?, _ confirmation: ActionConfirmation
    ) async throws -> Response {
        let results = testLoginAddress(provider)
        // The results have the origin at which the browser knows the session: the one that has sent the form.
        let begin = BeginTestLogin(
            provider: provider, region: region, person: person.id, publicURL: publicURL,
            results: (request.headers[.origin] ?? publicURL) + results)
        let test = try await run(
            begin, confirmation: confirmation,
            reason: words("test-login.title", ["name": providerName(provider)]))
        let result = "\(results)/\(test.id)"
        if let url = test.url { return leave(to: url, cancel: result) }
        let record = try await run(.operatorRecord(once: confirmation.once, by: person.id))
        return redirect(to: result, done: record?.id)
    }

    /// A page from which the browser leaves. A redirect would not do: browsers let a form lead nowhere but to its own origin, if the
    /// page's policy says so.
    private func leave(to departure: String, cancel: String) -> Response {
        let action = TestIdentityProvider.about
        var response = show(Page(words("deed.\(action.name)"), section: action.section)) {
            div(.class("card")) {
                p {
                    "\(words("deed.departure")) "
                    bdi { URLComponents(string: departure)?.host ?? "" }
                }
                div(.class("buttons")) {
                    a(.class("button primary"), .href(departure), .rel("noreferrer")) { words("deed.departure-go") }
                    " "
                    Link(words("deed.cancel"), cancel).button
                }
            }
        }
        if let name = HTTPField.Name("Refresh") { response.headers[name] = "0; url=\(departure)" }
        return response
    }

    /// What came back from a login that was made as a test.
    func testLoginPage() async throws -> Response {
        let provider = try namedProvider()
        let test = try await run(ReadTestLogin(id: segment("test"), provider: provider, person: person.id))
        var page = Page(words("test-login.title", ["name": providerName(provider)]), section: "providers")
        page.crumbs = [
            Link(words("nav.providers"), address("providers")),
            Link(providerName(provider), providerAddress(provider)),
        ]
        switch test {
        case nil:
            page.status = .notFound
            return show(page, ("warn", words("test-login.unknown")), of: provider) {}
        case .over?:
            page.status = .gone
            return show(page, ("warn", words("test-login.over")), of: provider) {}
        case .waiting(let end)?:
            page.actions = [Link(words("test-login.reload"), request.uri.path)]
            let waiting = words("test-login.waiting", ["end": local.absolute(end)])
            return show(page, ("warn", waiting), of: provider) {}
        case .shown(let result, let owner)?:
            if let failure = result.failure { return show(page, failure, of: provider) }
            let verdict = result.sample == nil ? ("warn", "") : ("good", words("test-login.fine"))
            return show(page, verdict, of: provider) {
                if let sample = result.sample { came(facts(sample, owner)) }
            }
        }
    }

    private func show(
        _ page: Page, _ verdict: (style: String, text: String), of provider: Provider,
        @HTMLBuilder _ content: () -> HTML
    ) -> Response {
        show(page) {
            p(.class("notice", verdict.style), .role("status")) { verdict.text }
            content()
            p(.class("small")) { words("test-login.nothing") }
            p { Link(words("test-login.back"), providerAddress(provider)).button }
        }
    }

    private func show(_ page: Page, _ failure: TestLoginResult.Failure, of provider: Provider) -> Response {
        let text = words.optional("test-login.failed.\(failure.word)") ?? words("test-login.failed")
        return show(page, ("bad", text), of: provider) {
            if !failure.findings.isEmpty {
                card("test-login.findings") {
                    ul {
                        for finding in failure.findings { li { self.text(of: finding) } }
                    }
                }
            }
            came(
                [Fact(words("test-login.cause"), Cell(failure.words))]
                    + (failure.said.map { [Fact(words("test-login.said"), Cell($0))] } ?? []))
        }
    }

    private func came(_ facts: [Fact]) -> HTML {
        card("test-login.came") {
            Facts(facts)
        }
    }

    private func facts(_ sample: LoginSample, _ owner: UserID?) -> [Fact] {
        [
            Fact(words("test-login.issuer"), sample.issuer.map { .code($0) } ?? Cell(words("test-login.no-token"))),
            Fact(
                words("test-login.audience"),
                sample.audiences.isEmpty ? Cell("–") : .code(sample.audiences.joined(separator: ", "))),
            Fact(words("test-login.subject"), .code(sample.identity.subject)),
            Fact(words("test-login.claims"), Cell(sample.claims.joined(separator: ", "))),
            Fact(
                words("test-login.member"),
                owner.map { .code($0.rawValue, link: memberLink($0)) } ?? Cell(words("test-login.nobody"))),
        ]
    }
}
