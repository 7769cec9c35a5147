import FakeProviders
import GatehouseCore
import GatehouseProviders
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

/// UI-IDP-2: what the test of a provider's settings finds. A provider's refusal must name what is wrong, and what was not tried is never
/// called fine.
@Suite struct ProviderFindingTests {
    private static let withSecrets = FakeProviders.names.filter { ![.gameCenter, .apple].contains($0) }

    private func findings(_ provider: Provider, in world: World) async throws -> [ProviderFinding] {
        try await world.run(TestIdentityProvider(provider: provider, publicURL: World.origin))
    }

    /// Changes a provider's settings and secrets.
    private func set(
        _ provider: Provider, in world: World, _ changed: [String: JSONValue] = [:], secrets: [String: JSONValue] = [:]
    ) async throws {
        let settings = (world.idps.configuration(of: provider).objectValue ?? [:]).merging(changed) { $1 }
        let all = (world.idps.secrets(of: provider).objectValue ?? [:]).merging(secrets) { $1 }
        try await world.run(
            SetIdentityProvider(
                provider: provider, settings: .object(settings), secrets: .object(all), samePersons: true))
    }

    private func codes(_ findings: [ProviderFinding], _ verdict: ProviderFinding.Verdict) -> [String] {
        findings.filter { $0.verdict == verdict }.map(\.code)
    }

    @Test(
        "What is right is fine, and a redirect address that a page does not tell is not known",
        arguments: FakeProviders.names)
    func right(provider: Provider) async throws {
        try await World.open(on: .sqlite) { world in
            let open = try await findings(provider, in: world)
            #expect(codes(open, .wrong) == [], "\(open)")
            guard FakeProviders.withPages.contains(provider) else { return }
            #expect(codes(open, .fine).contains("client.fine") && codes(open, .fine).contains("clock.fine"))
            let callback = World.origin + Endpoints.path(Endpoints.callback, of: provider, app: World.app)
            world.idps.setCallbacks([callback], of: provider)
            #expect(try await codes(findings(provider, in: world), .fine).contains("page.fine"))
            world.idps.setCallbacks(["https://other.example.com/"], of: provider)
            let other = try await findings(provider, in: world)
            #expect(codes(other, .wrong).contains("page.refused") && !codes(other, .fine).contains("page.fine"))
        }
    }

    @Test("A wrong secret is told from a wrong code", arguments: withSecrets)
    func wrongSecret(provider: Provider) async throws {
        try await World.open(on: .sqlite) { world in
            let wrong: JSONValue = "another-secret"
            var secrets: [String: JSONValue] = ["clientSecret": wrong]
            if provider == .line { secrets["regions"] = ["japan": wrong] }
            try await set(provider, in: world, secrets: secrets)
            let found = try await findings(provider, in: world)
            #expect(codes(found, .wrong).contains("client.refused"), "\(found)")
            #expect(!codes(found, .fine).contains("client.fine"))
        }
    }

    @Test("A wrong key of a partner's call is found", arguments: [Provider.hangame, .kakaoGame])
    func wrongCallSecret(provider: Provider) async throws {
        try await World.open(on: .sqlite) { world in
            try await set(provider, in: world, secrets: ["values": ["apiKey": "another-key"]])
            let found = try await findings(provider, in: world)
            #expect(codes(found, .wrong) == ["tokens.secret-wrong"], "\(found)")
            #expect(!codes(found, .fine).contains("tokens.fine"))
        }
    }

    @Test("A wrong client id is found", arguments: FakeProviders.withPages)
    func wrongClient(provider: Provider) async throws {
        try await World.open(on: .sqlite) { world in
            try await set(provider, in: world, ["clientIds": ["somebody-else"], "regions": .null])
            let found = try await findings(provider, in: world)
            #expect(codes(found, .wrong).contains("page.refused"), "\(found)")
            #expect(codes(found, .wrong).contains { $0.hasPrefix("client.") })
            #expect(!codes(found, .fine).contains { $0.hasPrefix("client.") || $0.hasPrefix("page.") })
        }
    }

    @Test("A wrong team, a missing key, another issuer, no keys and a wrong clock are found")
    func others() async throws {
        try await World.open(on: .sqlite) { world in
            var key = world.idps.secrets(of: .apple).objectValue?["appleKey"]?.objectValue ?? [:]
            key["teamId"] = "OTHERTEAM1"
            try await set(.apple, in: world, secrets: ["appleKey": .object(key)])
            #expect(try await codes(findings(.apple, in: world), .wrong) == ["client.key-refused"])
            try await world.run(
                SetIdentityProvider(
                    provider: .apple, settings: world.idps.configuration(of: .apple), secrets: .object([:])))
            #expect(try await codes(findings(.apple, in: world), .wrong).contains("revocation.apple-key"))

            world.idps.setDiscovery([:], issuer: "https://other.example.com")
            let issuer = try await findings(.studio, in: world)
            #expect(issuer.contains { $0.isWrong && $0.text.contains("another issuer") })
            #expect(!issuer.contains { $0.isFine && !$0.code.hasPrefix("clock") })
            world.idps.setDiscovery([:])
            world.idps.setKeys([], of: .studio)
            let keys = try await findings(.studio, in: world)
            #expect(codes(keys, .wrong) == ["keys.failed"])

            world.idps.set(.wrongClock(secondsAhead: -600), for: .google)
            let ahead = try await findings(.google, in: world)
            #expect(codes(ahead, .wrong) == ["clock.ahead"])
            #expect(ahead.first { $0.code == "clock.ahead" }?.values == ["seconds": "600"])
            world.idps.set(.wrongClock(secondsAhead: 600), for: .google)
            #expect(try await codes(findings(.google, in: world), .wrong) == ["clock.behind"])
        }
    }

    @Test("A provider at which a withdrawal can revoke nothing is told from one at which it can")
    func nothingToRevoke() async throws {
        try await World.open(on: .sqlite) { world in
            #expect(try await !codes(findings(.studio, in: world), .unknown).contains("revocation.none"))
            world.idps.setDiscovery(["revocation_endpoint": .null])
            let found = try await findings(.studio, in: world)
            #expect(codes(found, .unknown).contains("revocation.none") && codes(found, .wrong) == [], "\(found)")
        }
    }

    @Test(
        "A provider that is down or slow is named, and nothing of it is fine", arguments: FakeProviders.withPages,
        [FakeFault.down, .slow(milliseconds: 60_000)])
    func unreachable(provider: Provider, fault: FakeFault) async throws {
        try await World.open(on: .sqlite) { world in
            world.idps.set(fault, for: provider)
            let found = try await findings(provider, in: world)
            // Even an answer that is an error tells the time.
            #expect(codes(found, .fine).filter { $0 != "clock.fine" } == [], "\(found)")
            #expect(codes(found, .wrong).count >= 2, "\(found)")
            #expect(found.contains { $0.isWrong && $0.text.contains("127.0.0.1") }, "\(found)")
        }
    }

    @Test("A provider that is switched off is tested as it would be when it is on")
    func switchedOff() async throws {
        try await World.open(on: .sqlite) { world in
            try await world.run(DisableIdentityProvider(provider: .google))
            #expect(try await codes(findings(.google, in: world), .fine).contains("client.fine"))
        }
    }
}
