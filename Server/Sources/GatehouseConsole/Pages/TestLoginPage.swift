import GatehouseCore
import GatehouseHTML
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

    /// The form that begins a login as a test, on the page of its provider.
    @HTMLBuilder func loginTest(_ view: ProviderView, _ hidden: [Field]) -> HTML {
        let configuration = view.configuration
        let regions = (configuration.regions ?? [:]).keys.sorted()
        let first = configuration.clientIds.isEmpty ? [] : [Field.Option("", words("test-login.no-region"))]
        h3 { words("test-login.heading") }
        if configuration.ways.contains(where: { $0 == "browser" }) {
            changing(address("do/provider.tested")) {
                self.hidden("once", once())
                self.hidden("way", "login")
                all(hidden)
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
