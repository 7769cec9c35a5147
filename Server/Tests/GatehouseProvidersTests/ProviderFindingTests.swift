import FakeProviders
import GatehouseProviders
import GatehouseWire
import Testing

/// UI-IDP-2: what the test of a provider's settings finds. A provider's refusal must name what is wrong, and what was not tried is never
/// called fine.
@Suite struct ProviderFindingTests {
    private static let withSecrets = FakeProviders.names.filter { ![.gameCenter, .apple].contains($0) }

    private func codes(_ findings: [ProviderFinding], _ verdict: ProviderFinding.Verdict) -> [String] {
        findings.filter { $0.verdict == verdict }.map(\.code)
    }

    @Test(
        "What is right is fine, and a redirect address that a page does not tell is not known",
        arguments: FakeProviders.names)
    func right(provider: Provider) async throws {
        let app = try FakeApp()
        let open = try await app.findings(provider)
        #expect(codes(open, .wrong) == [], "\(open)")
        guard FakeProviders.withPages.contains(provider) else { return }
        #expect(codes(open, .fine).contains("client.fine") && codes(open, .fine).contains("clock.fine"))
        app.idps.setCallbacks([FakeApp.callback], of: provider)
        #expect(try await codes(app.findings(provider), .fine).contains("page.fine"))
        app.idps.setCallbacks(["https://other.example.com/"], of: provider)
        let other = try await app.findings(provider)
        #expect(codes(other, .wrong).contains("page.refused") && !codes(other, .fine).contains("page.fine"))
    }

    @Test("A wrong secret is told from a wrong code", arguments: withSecrets)
    func wrongSecret(provider: Provider) async throws {
        let app = try FakeApp()
        let wrong: JSONValue = "another-secret"
        var secrets: [String: JSONValue] = ["clientSecret": wrong]
        if provider == .line { secrets["regions"] = ["japan": wrong] }
        let found = try await app.findings(provider, app.configuration(of: provider, secrets: secrets))
        #expect(codes(found, .wrong).contains("client.refused"), "\(found)")
        #expect(!codes(found, .fine).contains("client.fine"))
    }

    @Test("A wrong key of a partner's call is found", arguments: [Provider.hangame, .kakaoGame])
    func wrongCallSecret(provider: Provider) async throws {
        let app = try FakeApp()
        let secrets: [String: JSONValue] = ["values": ["apiKey": "another-key"]]
        let found = try await app.findings(provider, app.configuration(of: provider, secrets: secrets))
        #expect(codes(found, .wrong) == ["tokens.secret-wrong"], "\(found)")
        #expect(!codes(found, .fine).contains("tokens.fine"))
    }

    @Test("A wrong client id is found", arguments: FakeProviders.withPages)
    func wrongClient(provider: Provider) async throws {
        let app = try FakeApp()
        let strange = try app.configuration(of: provider, ["clientIds": ["somebody-else"], "regions": .null])
        let found = try await app.findings(provider, strange)
        #expect(codes(found, .wrong).contains("page.refused"), "\(found)")
        #expect(codes(found, .wrong).contains { $0.hasPrefix("client.") })
        #expect(!codes(found, .fine).contains { $0.hasPrefix("client.") || $0.hasPrefix("page.") })
    }

    @Test("A wrong team, a missing key, another issuer, no keys and a wrong clock are found")
    func others() async throws {
        let app = try FakeApp()
        var key = app.idps.secrets(of: .apple).objectValue?["appleKey"]?.objectValue ?? [:]
        key["teamId"] = "OTHERTEAM1"
        let strange = try app.configuration(of: .apple, secrets: ["appleKey": .object(key)])
        #expect(try await codes(app.findings(.apple, strange), .wrong) == ["client.key-refused"])
        let bare = try app.configuration(of: .apple, secrets: ["appleKey": .null])
        #expect(try await codes(app.findings(.apple, bare), .wrong).contains("revocation.apple-key"))

        app.idps.setDiscovery([:], issuer: "https://other.example.com")
        let issuer = try await app.findings(.studio)
        #expect(issuer.contains { $0.isWrong && $0.text.contains("another issuer") })
        #expect(!issuer.contains { $0.isFine && !$0.code.hasPrefix("clock") })
        app.idps.setDiscovery([:])
        app.idps.setKeys([], of: .studio)
        let keys = try await app.findings(.studio)
        #expect(codes(keys, .wrong) == ["keys.failed"])

        app.idps.set(.wrongClock(secondsAhead: -600), for: .google)
        let ahead = try await app.findings(.google)
        #expect(codes(ahead, .wrong) == ["clock.ahead"])
        #expect(ahead.first { $0.code == "clock.ahead" }?.values == ["seconds": "600"])
        app.idps.set(.wrongClock(secondsAhead: 600), for: .google)
        #expect(try await codes(app.findings(.google), .wrong) == ["clock.behind"])
    }

    @Test("A provider at which a withdrawal can revoke nothing is told from one at which it can")
    func nothingToRevoke() async throws {
        let app = try FakeApp()
        #expect(try await !codes(app.findings(.studio), .unknown).contains("revocation.none"))
        app.idps.setDiscovery(["revocation_endpoint": .null])
        let found = try await app.findings(.studio)
        #expect(codes(found, .unknown).contains("revocation.none") && codes(found, .wrong) == [], "\(found)")
    }

    @Test(
        "A provider that is down or slow is named, and nothing of it is fine", arguments: FakeProviders.withPages,
        [FakeFault.down, .slow(milliseconds: 60_000)])
    func unreachable(provider: Provider, fault: FakeFault) async throws {
        let app = try FakeApp()
        app.idps.set(fault, for: provider)
        let found = try await app.findings(provider)
        // Even an answer that is an error tells the time.
        #expect(codes(found, .fine).filter { $0 != "clock.fine" } == [], "\(found)")
        #expect(codes(found, .wrong).count >= 2, "\(found)")
        #expect(found.contains { $0.isWrong && $0.text.contains("127.0.0.1") }, "\(found)")
    }
}
