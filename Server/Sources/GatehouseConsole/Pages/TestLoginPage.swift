import GatehouseCore
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

extension Visit {
    /// Where the results of a provider's test logins are shown.
    func testLoginAddress(_ provider: Provider) -> String { "\(providerAddress(provider))/test" }

    /// The same with the origin at which the browser knows the session: the one that has sent the form.
    func testLoginResults(_ provider: Provider) -> String {
        (request.headers[.origin] ?? publicURL) + testLoginAddress(provider)
    }

    /// What a page of a provider needs to offer a login as a test.
    func loginTestValues(_ view: ProviderView?) -> [String: Any] {
        let configuration = view?.configuration
        let regions = (configuration?.regions ?? [:]).keys.sorted()
        let first = configuration?.clientIds.isEmpty ?? true ? [] : [Field.Option("", words("test-login.no-region"))]
        let field = Field(
            "region", words("test-login.region"), .choice(first + regions.map { Field.Option($0, $0) }))
        return [
            "hasPage": configuration?.ways.contains { $0 == "browser" } ?? false, "once": once(),
            "regions": regions.isEmpty ? [] : [field],
        ]
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
        page.values = [
            "back": providerAddress(provider), "facts": [Fact](), "hasFacts": false, "findings": [String](),
            "verdict": "",
            "style": "warn",
        ]
        switch test {
        case nil:
            page.status = .notFound
            page.values["verdict"] = words("test-login.unknown")
        case .over?:
            page.status = .gone
            page.values["verdict"] = words("test-login.over")
        case .waiting(let end)?:
            page.values["verdict"] = words("test-login.waiting", ["end": local.absolute(end)])
            page.actions = [Link(words("test-login.reload"), request.uri.path)]
        case .shown(let result, let owner)?:
            if let sample = result.sample { show(sample, owner, in: &page) }
            if let failure = result.failure { show(failure, in: &page) }
        }
        return try await show(page, "test-login")
    }

    private func show(_ sample: LoginSample, _ owner: UserID?, in page: inout Page) {
        page.values["style"] = "good"
        page.values["verdict"] = words("test-login.fine")
        page.values["hasFacts"] = true
        page.values["facts"] = [
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

    private func show(_ failure: TestLoginResult.Failure, in page: inout Page) {
        page.values["style"] = "bad"
        page.values["verdict"] = words.optional("test-login.failed.\(failure.word)") ?? words("test-login.failed")
        page.values["findings"] = failure.findings.map(text)
        page.values["hasFindings"] = !failure.findings.isEmpty
        page.values["hasFacts"] = true
        page.values["facts"] =
            [Fact(words("test-login.cause"), Cell(failure.words))]
            + (failure.said.map { [Fact(words("test-login.said"), Cell($0))] } ?? [])
    }
}

extension Console {
    static let testLoginTemplate = Template(
        "test-login",
        """
        {{<layout}}{{$content}}
        <p class="notice {{style}}" role="status">{{verdict}}</p>
        {{#hasFindings}}<section class="card"><h2>{{t.test-login.findings}}</h2><ul>{{#findings}}<li>{{.}}</li>{{/findings}}</ul></section>{{/hasFindings}}
        {{#hasFacts}}<section class="card"><h2>{{t.test-login.came}}</h2>{{> facts}}</section>{{/hasFacts}}
        <p class="small">{{t.test-login.nothing}}</p>
        <p><a class="button" href="{{back}}">{{t.test-login.back}}</a></p>
        {{/content}}{{/layout}}
        """)
}
