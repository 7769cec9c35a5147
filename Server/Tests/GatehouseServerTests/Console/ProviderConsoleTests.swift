import FakeProviders
import Foundation
import GatehouseCore
import GatehouseProviders
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

/// Identity providers in the console.
@Suite struct ProviderConsoleTests {
    private static let place = "/console/apps/game/providers"

    /// What an operator types into the form of a provider, in the fake world.
    private static func fields(_ provider: Provider, in idps: FakeProviders) -> [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in idps.configuration(of: provider).objectValue ?? [:] where name != "kind" {
            switch (name, value) {
            case ("regions", .object(let regions)):
                fields["set.regions"] = regions.sorted { $0.key < $1.key }.map { name, region in
                    "\(name)=\(region.objectValue?["clientIds"]?.arrayValue?.first?.stringValue ?? "")"
                }.joined(separator: "\r\n")
            case ("reauthentication", .object(let pairs)):
                fields["set.\(name)"] = pairs.map { "\($0.key)=\($0.value.stringValue ?? "")" }.joined(separator: "\n")
            case (_, .string(let text)): fields["set.\(name)"] = text
            case (_, .array(let lines)) where name != "checks":
                fields["set.\(name)"] = lines.compactMap(\.stringValue).joined(separator: "\r\n")
            default:
                fields["set.\(name)"] = (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) }
            }
        }
        for (name, value) in secrets(provider, in: idps) { fields["secret.\(name)"] = value }
        return fields
    }

    private static func secrets(_ provider: Provider, in idps: FakeProviders) -> [String: String] {
        var secrets: [String: String] = [:]
        for (name, value) in idps.secrets(of: provider).objectValue ?? [:] {
            switch (name, value) {
            case ("regions", .object(let pairs)), ("values", .object(let pairs)):
                secrets[name] = pairs.map { "\($0.key)=\($0.value.stringValue ?? "")" }.joined(separator: "\n")
            case (_, .object(let parts)):
                for (part, value) in parts { secrets["\(name).\(part)"] = value.stringValue }
            default: secrets[name] = value.stringValue
            }
        }
        return secrets
    }

    /// The settings of a provider that somebody has begun to set up, without anything that is right.
    private static func begin(_ provider: Provider, in server: TestServer) async throws {
        var settings = server.idps.configuration(of: provider).objectValue ?? [:]
        settings["clientIds"] = ["somebody-else"]
        settings["regions"] = nil
        settings["isEnabled"] = false
        try await server.run(
            SaveIdentityProvider(provider: provider, settings: .object(settings), secrets: .object([:])))
    }

    private static func badges(_ page: ConsolePage) -> [String] {
        let list = page.html.range(of: "<ul class=\"findings\">").map { page.html[$0.lowerBound...] } ?? ""
        return list.matches(of: /<span class="badge ([a-z]+)">/).map { String($0.output.1) }
    }

    @Test(
        "UI-IDP-1: each kind is set up by the page's own steps, tested, switched on, and lets a player in",
        arguments: Engine.ofDoors, FakeProviders.names)
    func setUp(engine: Engine, provider: Provider) async throws {
        try await TestServer.openConsole(on: engine) { server in
            try await Self.begin(provider, in: server)
            let kim = try await server.person("kim", .operator)
            let page = try await kim.get("\(Self.place)/\(provider)")
            #expect(page.status == 200)
            let copied = page.html.matches(of: /<code data-copy="[^"]*">([^<]*)<\/code>/).map { String($0.output.1) }
            let callback = TestServer.origin + Endpoints.path(Endpoints.callback, of: provider, app: TestServer.app)
            if FakeProviders.withPages.contains(provider) {
                #expect(copied.contains(callback))
                server.idps.setCallbacks([callback], of: provider)
            }
            let fields = Self.fields(provider, in: server.idps).filter {
                (try? page.form("/check").fields[$0.key]) != nil || $0.key.hasPrefix("secret")
            }
            let asked = try await kim.submit(page, fields, to: "/do/provider.saved/check")
            #expect(asked.status == 200, "\(asked.text.suffix(1_000))")
            let done = try await kim.follow(
                kim.submit(asked, ["reason": "set up"], to: "/do/provider.saved"))
            #expect(done.result != nil)
            let tested = try await kim.follow(kim.submit(done, to: "/do/provider.tested"))
            #expect(Self.badges(tested).contains("good") && !Self.badges(tested).contains("bad"), "\(tested.text)")
            #expect(try await kim.perform("provider.enabled", ["provider": provider.rawValue]).result != nil)
            server.clock.advance(seconds: 2)
            var credential = try server.idps.credential(provider, for: "alice")
            credential.region = provider == .line ? "japan" : nil
            if provider == .line {
                let token = try server.idps.idToken(
                    .line, for: "alice", claims: ["aud": .string("\(server.idps.clientID(of: .line))-japan")])
                credential.idToken = token
            }
            if [.naver, .twitter, .payco].contains(provider) || credential.authorizationCode == nil {
                let answer = try await server.call(Endpoints.logIn, credential, by: TestDevice())
                #expect(answer.status == 200 || answer.reason == "token_unbound", "\(provider): \(answer.text)")
            }

            // UI-IDP-4: the secrets are nowhere.
            let pages = [
                page, asked, done, tested, try await kim.get(Self.place),
                try await kim.get("\(Self.place)/\(provider)"),
            ]
            let written = pages.map(\.html).joined() + server.audit.text
            for (name, secret) in Self.secrets(provider, in: server.idps) where !name.hasSuffix("Id") {
                for part in secret.split(separator: "\n").map({ $0.split(separator: "=", maxSplits: 1).last ?? "" })
                where part.count > 12 && !part.hasPrefix("-----") {
                    #expect(!written.contains(part), "\(provider): \(name)")
                }
            }
        }
    }

    @Test("A provider's steps are ticked off by what is set, tested, switched on and used, and guests are in the list")
    func progress() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            func ticks(_ page: ConsolePage) -> [Bool] {
                page.html.matches(of: /<li(?: class="(done)")?(?: aria-current="step")?><span class="tick"/)
                    .map { $0.output.1 != nil }
            }
            let new = try await kim.get("\(Self.place)/own?kind=openid")
            #expect(ticks(new).count >= 4 && !ticks(new).contains(true))
            let google = "\(Self.place)/google"
            #expect(try await ticks(kim.get(google)) == [true, true, false, true, false])
            _ = try await server.logIn(.google, "alice")
            let used = try await kim.get(google)
            #expect(ticks(used) == [true, true, false, true, true])
            let callback = TestServer.origin + Endpoints.path(Endpoints.callback, of: .google, app: TestServer.app)
            server.idps.setCallbacks([callback], of: .google)
            let tested = try await kim.follow(kim.submit(used, to: "/do/provider.tested"))
            #expect(!ticks(tested).contains(false), "\(tested.text)")
            // The test stands in the list of tests, and not among the changes.
            #expect(tested.html.contains("<bdi>Settings</bdi>") && tested.text.contains("Nothing wrong found"))
            #expect(tested.text.contains("Nobody has changed anything here."))
            let list = try await kim.get(Self.place)
            #expect(list.text.contains("Guests need no provider") && list.links.contains { $0.hasSuffix("/limits") })
            // A hint about one provider stands on the page of that one alone.
            for (provider, isThere) in [("google", false), ("iosgamecenter", true)] {
                let page = try await kim.get("\(Self.place)/\(provider)")
                #expect(page.text.contains("bundle IDs, one per line") == isThere, "\(provider)")
            }
        }
    }

    @Test(
        "A provider with a name of its own is saved off, and its secret is written once and read never",
        arguments: Engine.ofDoors)
    func ownName(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .operator)
            let page = try await kim.follow(kim.get("/console/apps/game/new-provider?idp=own-id&kind=openid"))
            #expect(page.status == 200 && page.html.contains("/callback/own-id"))
            let secret = "a-secret-that-ends-in-x7Q"
            let fields = [
                "set.issuer": "https://id.studio.example", "set.clientIds": "game", "secret.clientSecret": secret,
            ]
            let wrong = try await kim.submit(
                page, fields.merging(["set.issuer": "ftp://x", "set.reauthentication": "x"]) { $1 },
                to: "/do/provider.saved/check")
            #expect(wrong.status == 422 && wrong.problem("set.reauthentication") != nil)
            #expect(!wrong.html.contains(secret))
            // The secret that was typed with the mistake is still there.
            let asked = try await kim.submit(
                wrong, fields.merging(["set.reauthentication": "", "secret.clientSecret": ""]) { $1 },
                to: "/do/provider.saved/check")
            #expect(asked.status == 200 && !asked.html.contains(secret), "\(asked.text)")
            let form = try asked.form("/do/provider.saved")
            let answer = try await kim.post(form.action, form.fields.merging(["reason": "new game"]) { $1 })
            let done = try await kim.follow(answer)
            #expect(done.html.contains("…x7Q") && !done.html.contains(secret))
            let provider = Provider("own-id")
            let saved = try #require(try await server.run(ReadApp()).providers[provider])
            #expect(!saved.isEnabled && saved.clientIds == ["game"])
            // Sent twice, it counts once.
            let again = try await kim.follow(
                try await kim.post(form.action, form.fields.merging(["reason": "new game"]) { $1 }))
            #expect(again.status == 200)
            #expect(again.html.matches(of: /new game/).count == 1)
            let viewer = try await server.person("vic", .viewer)
            let seen = try await viewer.get("\(Self.place)/own-id")
            #expect(seen.status == 200 && !seen.html.contains("x7Q"))
            #expect((try? seen.form("/do/provider.saved/check")) == nil)
        }
    }

    @Test(
        "A list of secrets that can't be read comes back empty, and the secrets beside it are kept and not shown",
        arguments: [Provider.hangame, .line])
    func brokenPairs(provider: Provider) async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            try await Self.begin(provider, in: server)
            let kim = try await server.person("kim", .operator)
            let page = try await kim.get("\(Self.place)/\(provider)")
            let list = provider == .line ? "secret.regions" : "secret.values"
            let fields = Self.fields(provider, in: server.idps).filter {
                (try? page.form("/check").fields[$0.key]) != nil || $0.key.hasPrefix("secret")
            }
            let broken = [
                "secret.clientSecret": "a-secret-typed-beside-x7Q", list: "one=half-of-the-list\r\nno-pair-at-all",
            ]
            let wrong = try await kim.submit(page, fields.merging(broken) { $1 }, to: "/do/provider.saved/check")
            #expect(wrong.status == 422 && wrong.problem(list) != nil, "\(wrong.text.suffix(1_000))")
            for text in ["a-secret-typed-beside", "half-of-the-list", "no-pair-at-all"] {
                #expect(!wrong.html.contains(text), "\(text)")
            }
            let mended = ["secret.clientSecret": "", list: try #require(fields[list])]
            let asked = try await kim.submit(wrong, mended, to: "/do/provider.saved/check")
            #expect(asked.status == 200, "\(asked.text.suffix(1_000))")
            let done = try await kim.follow(kim.submit(asked, ["reason": "set up"], to: "/do/provider.saved"))
            #expect(done.html.contains("…x7Q"), "the secret that was typed beside it is lost")
            #expect(!done.html.contains("a-secret-typed-beside"))
        }
    }

    @Test(
        "UI-IDP-6: of two operators who save at once, the second sees what has changed, with both values",
        arguments: Engine.ofDoors)
    func stale(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .operator)
            let lee = try await server.person("lee", .operator)
            var asked: [ConsolePage] = []
            for (person, id) in [(kim, "client-of-kim"), (lee, "client-of-lee")] {
                let page = try await person.get("\(Self.place)/google")
                asked.append(try await person.submit(page, ["set.clientIds": id], to: "/do/provider.saved/check"))
            }
            #expect(try await kim.submit(asked[0], ["reason": "first"], to: "/do/provider.saved").status == 303)
            let second = try await lee.submit(asked[1], ["reason": "second"], to: "/do/provider.saved")
            #expect(second.status == 409)
            #expect(second.html.contains("client-of-kim") && second.html.contains("client-of-lee"))
            #expect(try await lee.submit(second, ["reason": "anyway"], to: "/do/provider.saved").status == 303)
        }
    }

    @Test(
        "A provider's address changes only with its secret typed anew, signed in again, and over players with its name typed",
        arguments: Engine.ofDoors)
    func address(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            _ = try await server.logIn(.studio, "alice")
            let kim = try await server.person("kim", .operator)
            let ann = try await server.person("ann", .owner)
            server.clock.advance(seconds: 700)
            #expect(try await !kim.get("\(Self.place)/studio").html.contains("samePersons"))
            let other = ["set.issuer": "https://other.example.com"]
            let said = other.merging(["samePersons": "on", "secret.clientSecret": "another-secret"]) { $1 }
            let form = try await ann.get("\(Self.place)/studio")
            let without = try await ann.submit(
                form, other.merging(["samePersons": "on"]) { $1 }, to: "/do/provider.saved/check")
            #expect(without.status == 422 && without.problem("secret.clientSecret") != nil, "\(without.text)")
            let asked = try await ann.submit(form, said, to: "/do/provider.saved/check")
            let confirmation = try asked.form("/do/provider.saved")
            #expect(confirmation.fields.keys.contains("typed") && confirmation.fields.keys.contains("password"))
            server.clock.advance(seconds: 30)
            let done = try await ann.submit(
                asked, ["reason": "it has moved", "typed": "studio", "password": ann.password, "code": ann.code],
                to: "/do/provider.saved")
            #expect(done.status == 303, "\(done.text)")
            let saved = try await server.run(ReadApp()).providers[.studio]
            #expect(saved?.openID?.issuer == "https://other.example.com")
        }
    }
}
