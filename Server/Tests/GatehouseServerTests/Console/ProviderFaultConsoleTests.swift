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
    /// A mistake that an operator or a provider makes, and the words with which the page names it.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        var provider = Provider.google
        var settings: [String: JSONValue] = [:]
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
            name: "wrong client id", settings: ["clientIds": ["somebody-else"]],
            words: "The login page refuses the client ID",
            notFine: ["The login page opens", "knows the client ID and its secret"]),
        Fault(
            name: "wrong team", provider: .apple, secrets: ["appleKey.teamId": "OTHERTEAM1"],
            words: "refuses the client ID, the team ID, the key ID or the key",
            notFine: ["knows the client ID and its secret"]),
        Fault(
            name: "wrong redirect",
            prepare: { $0.setCallbacks(["https://other.example.com/"], of: .google) },
            words: "the redirect address https://login.example.com", notFine: ["The login page opens"]),
        Fault(
            name: "provider down", fault: .down, words: "it answers 503",
            notFine: ["The provider publishes", "The login page opens", "knows the client ID and its secret"]),
        Fault(
            name: "provider too slow to answer", fault: .slow(milliseconds: 60_000), words: "can't be asked",
            notFine: ["The provider publishes", "The login page opens", "knows the client ID and its secret"]),
        Fault(
            name: "slow provider", secondsToAnswer: 3, words: "The provider is slow: an answer takes 3 seconds",
            notFine: []),
        Fault(
            name: "another issuer", provider: .studio,
            prepare: { $0.setDiscovery([:], issuer: "https://other.example.com") }, words: "another issuer's",
            notFine: ["The provider publishes", "The login page opens", "knows the client ID and its secret"]),
        Fault(
            name: "empty key set", provider: .studio, prepare: { $0.setKeys([], of: .studio) },
            words: "The keys of the provider are not there", notFine: ["The provider publishes"]),
        Fault(
            name: "clock ten minutes ahead", fault: .wrongClock(secondsAhead: -600),
            words: "This server's clock is 10 minutes ahead",
            notFine: ["The clocks of the provider and of this server"]),
        Fault(
            name: "clock ten minutes behind", fault: .wrongClock(secondsAhead: 600),
            words: "This server's clock is 10 minutes behind",
            notFine: ["The clocks of the provider and of this server"]),
    ]

    @Test("UI-IDP-2: each mistake is found and named, and never called fine", arguments: faults)
    func found(fault: Fault) async throws {
        let delay = fault.secondsToAnswer
        try await World.openConsole(
            on: .sqlite,
            surroundings: { environment, clock in
                guard delay > 0 else { return }
                let fetch = environment.fetch
                environment.fetch = { request in
                    clock.advance(seconds: delay)
                    return try await fetch(request)
                }
            }
        ) { world in
            let (idps, provider) = (world.idps, fault.provider)
            var secrets = idps.secrets(of: provider).objectValue ?? [:]
            for (name, value) in fault.secrets {
                let parts = name.split(separator: ".").map(String.init)
                guard parts.count == 2 else { secrets[name] = value; continue }
                var inner = secrets[parts[0]]?.objectValue ?? [:]
                inner[parts[1]] = value
                secrets[parts[0]] = .object(inner)
            }
            try await world.run(
                SetIdentityProvider(
                    provider: provider,
                    settings: .object(
                        (idps.configuration(of: provider).objectValue ?? [:]).merging(fault.settings) { $1 }),
                    secrets: .object(secrets), samePersons: true))
            fault.prepare(idps)
            idps.set(fault.fault, for: provider)
            let kim = try await world.person("kim", .operator)
            let page = try await kim.get("/console/apps/game/providers/\(provider)")
            let tested = try await kim.follow(kim.submit(page, to: "/do/provider.tested"))
            #expect(tested.text.contains(fault.words), "\(tested.text)")
            #expect(tested.text.contains("wrong"), "the line of the last test says so")
            for words in fault.notFine { #expect(!tested.text.contains(words), "\(tested.text)") }
            let list = try await kim.get("/console/apps/game/providers")
            #expect(list.html.matches(of: /<span class="badge bad">/).count >= 1, "\(list.text)")
        }
    }

    @Test("UI-IDP-7: an issuer fills the form, with what was typed, and nothing is saved", arguments: Engine.ofDoors)
    func lookUp(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let kim = try await world.person("kim", .operator)
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
            let saved = try await world.run(ReadApp()).providers[.studio]
            #expect(saved?.openID?.keysURL == nil)
            // What was found is saved as a form that was typed is.
            let asked = try await kim.submit(looked, to: "/do/provider.saved/check")
            #expect(asked.status == 200 && asked.text.contains("https://id.studio.example/keys"), "\(asked.text)")
            #expect(asked.text.contains("Client secret"))

            for (issuer, problem) in [
                ("ftp://x", "is an https address"), ("", "is an https address"),
                ("https://id.studio.example/other", "can't be looked up"),
            ] {
                let wrong = try await kim.post(
                    "/console/apps/game/providers/studio/look-up", form.fields.merging(["set.issuer": issuer]) { $1 })
                #expect(wrong.status == 422 && wrong.problem("set.issuer")?.contains(problem) == true, "\(wrong.text)")
            }
            let google = try await kim.post("/console/apps/game/providers/google/look-up", form.fields)
            #expect(google.status == 404)
            let vic = try await world.person("vic", .viewer)
            let token = try await vic.get("/console/me").form().fields["token"] ?? ""
            let refused = try await vic.post(
                "/console/apps/game/providers/studio/look-up", ["token": token, "set.issuer": "https://x.example"])
            #expect(refused.status == 403)
        }
    }

    @Test("UI-IDP-7, NET-1: no issuer makes the server ask its own machine or network")
    func privateIssuers() async throws {
        try await World.openConsole(
            on: .sqlite,
            surroundings: { environment, _ in
                environment.fetch = { request in
                    try await OutgoingHTTP.fetch(request, reachesLocal: false, seconds: 1)
                }
            }
        ) { world in
            let kim = try await world.person("kim", .operator)
            let page = try await kim.get("/console/apps/game/providers/own?kind=openid")
            let form = try page.form("/do/provider.saved/check")
            for issuer in [
                "http://127.0.0.1:9090", "https://127.0.0.1", "https://10.1.2.3", "https://192.168.0.1/x",
                "https://169.254.169.254", "https://[::1]", "https://[fd00::1]", "https://0.0.0.0",
            ] {
                let answer = try await kim.post(
                    "/console/apps/game/providers/own/look-up", form.fields.merging(["set.issuer": issuer]) { $1 })
                let problem = answer.problem("set.issuer")
                #expect(answer.status == 422 && problem?.contains("on the internet alone") == true, "\(issuer)")
            }
        }
    }
}
