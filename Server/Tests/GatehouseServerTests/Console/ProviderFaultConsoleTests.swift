import FakeProviders
import Foundation
import GatehouseCore
import GatehouseProviders
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseServer

/// What is wrong with a provider, as its page in the console says it.
@Suite struct ProviderFaultConsoleTests {
    /// A mistake that an operator or a provider makes, and the words with which the page names it. All that a test can find is in
    /// `ProviderFindingTests`.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        var secrets: [String: JSONValue] = [:]
        var fault: FakeFault?
        var secondsToAnswer: Int64 = 0
        var prepare: @Sendable (FakeProviders) -> Void = { _ in }
        let words: String
        /// Keys of what must not be called fine.
        let notFine: [String]

        var testDescription: String { name }
    }

    static let faults: [Fault] = [
        Fault(
            name: "wrong secret", secrets: ["clientSecret": "another"],
            words: "refuses the client ID or the client secret", notFine: ["knows the client ID and its secret"]),
        Fault(
            name: "wrong redirect",
            prepare: { $0.setCallbacks(["https://other.example.com/"], of: .google) },
            words: "the redirect address https://login.example.com", notFine: ["The login page opens"]),
        Fault(
            name: "slow provider", secondsToAnswer: 3, words: "The provider is slow: an answer takes 3 seconds",
            notFine: []),
        Fault(
            name: "clock ten minutes ahead", fault: .wrongClock(secondsAhead: -600),
            words: "This server's clock is 10 minutes ahead",
            notFine: ["The clocks of the provider and of this server"]),
    ]

    @Test(
        "UI-IDP-2: what the test of a provider finds is said in words, with its numbers, on its page and in the list",
        arguments: faults)
    func found(fault: Fault) async throws {
        let delay = fault.secondsToAnswer
        try await TestServer.openConsole(
            on: .sqlite,
            surroundings: { environment, clock in
                guard delay > 0 else { return }
                let fetch = environment.fetch
                environment.fetch = { request in
                    clock.advance(seconds: delay)
                    return try await fetch(request)
                }
            }
        ) { server in
            let (idps, provider) = (server.idps, Provider.google)
            let secrets = (idps.secrets(of: provider).objectValue ?? [:]).merging(fault.secrets) { $1 }
            try await server.run(
                SaveIdentityProvider(
                    provider: provider, settings: idps.configuration(of: provider), secrets: .object(secrets),
                    samePersons: true))
            fault.prepare(idps)
            idps.set(fault.fault, for: provider)
            let kim = try await server.person("kim", .operator)
            let page = try await kim.get("/console/apps/game/providers/\(provider)")
            let tested = try await kim.follow(kim.submit(page, to: "/do/provider.tested"))
            #expect(tested.text.contains(fault.words), "\(tested.text)")
            #expect(tested.text.contains("wrong"), "the line of the last test says so")
            for words in fault.notFine { #expect(!tested.text.contains(words), "\(tested.text)") }
            let list = try await kim.get("/console/apps/game/providers")
            #expect(list.html.matches(of: /<span class="badge bad">/).count >= 1, "\(list.text)")
        }
    }

    @Test("UI-IDP-2: calls that fail for one reason are one thing that is wrong, with what to do about it")
    func oneCause() async throws {
        try await TestServer.openConsole(
            on: .sqlite,
            surroundings: { environment, _ in
                environment.fetch = { _ in throw CancelledConnection() }
            }
        ) { server in
            let kim = try await server.person("kim", .operator)
            let page = try await kim.get("/console/apps/game/providers/google")
            let tested = try await kim.follow(kim.submit(page, to: "/do/provider.tested"))
            #expect(
                tested.text.contains("1 thing is wrong") && tested.text.contains("Not checked: Keys"), "\(tested.text)")
            #expect(tested.text.contains("What to do") && tested.text.contains("DNS, firewall, proxy"))
        }
    }

    private struct CancelledConnection: Error {}

    @Test("UI-IDP-7: an issuer fills the form, with what was typed, and nothing is saved", arguments: Engine.ofDoors)
    func lookUp(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .operator)
            let page = try await kim.get("/console/apps/game/providers/studio")
            #expect(page.html.contains("formaction=\"/console/apps/game/providers/studio/look-up\""))
            let form = try page.form("/do/provider.saved/check")
            let typed = ["set.clientIds": "my-client", "secret.clientSecret": "a-new-secret"]
            let looked = try await kim.post(
                "/console/apps/game/providers/studio/look-up", form.fields.merging(typed) { $1 })
            #expect(looked.status == 200, "\(looked.text)")
            let filled = try looked.form("/do/provider.saved/check").fields
            #expect(filled["set.keysURL"] == "https://id.studio.example/keys")
            #expect(filled["set.revocationURL"] == "https://id.studio.example/revoke")
            #expect(filled["set.algorithms"] == "RS256" && filled["set.clientIds"] == "my-client")
            #expect(looked.text.contains("https://id.studio.example/authorize"))
            #expect(!looked.html.contains("a-new-secret") && filled["sealed"] != nil)
            let saved = try await server.run(ReadApp()).providers[.studio]
            #expect(saved?.openID?.keysURL == nil)
            // What was found is saved as a form that was typed is.
            let asked = try await kim.submit(looked, to: "/do/provider.saved/check")
            #expect(asked.status == 200 && asked.text.contains("https://id.studio.example/keys"), "\(asked.text)")
            #expect(asked.text.contains("Client secret"))

            for (issuer, problem) in [
                ("ftp://x", "must be an https address"), ("", "must be an https address"),
                ("https://id.studio.example/other", "can't be looked up"),
            ] {
                let wrong = try await kim.post(
                    "/console/apps/game/providers/studio/look-up", form.fields.merging(["set.issuer": issuer]) { $1 })
                #expect(wrong.status == 422 && wrong.problem("set.issuer")?.contains(problem) == true, "\(wrong.text)")
            }
            let google = try await kim.post("/console/apps/game/providers/google/look-up", form.fields)
            #expect(google.status == 404)
            let vic = try await server.person("vic", .viewer)
            let token = try await vic.get("/console/me").form().fields["token"] ?? ""
            let refused = try await vic.post(
                "/console/apps/game/providers/studio/look-up", ["token": token, "set.issuer": "https://x.example"])
            #expect(refused.status == 403)
        }
    }

    @Test("UI-IDP-7, NET-1: no issuer makes the server ask its own machine or network")
    func privateIssuers() async throws {
        try await TestServer.openConsole(
            on: .sqlite,
            surroundings: { environment, _ in
                environment.fetch = { request in
                    try await OutgoingHTTP.fetch(request, reachesLocal: false, seconds: 1)
                }
            }
        ) { server in
            let kim = try await server.person("kim", .operator)
            let page = try await kim.get("/console/apps/game/providers/own?kind=openid")
            let form = try page.form("/do/provider.saved/check")
            for issuer in [
                "http://127.0.0.1:9090", "https://127.0.0.1", "https://10.1.2.3", "https://192.168.0.1/x",
                "https://169.254.169.254", "https://[::1]", "https://[fd00::1]", "https://0.0.0.0",
            ] {
                let answer = try await kim.post(
                    "/console/apps/game/providers/own/look-up", form.fields.merging(["set.issuer": issuer]) { $1 })
                let problem = answer.problem("set.issuer")
                let isRefused = problem?.contains("only providers on the internet") == true
                #expect(answer.status == 422 && isRefused, "\(issuer)")
            }
        }
    }
}
