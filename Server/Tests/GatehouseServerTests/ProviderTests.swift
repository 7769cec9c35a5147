import FakeProviders
import Foundation
import GatehouseCore
import GatehouseProviders
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct ProviderTests {
    /// The providers whose own library's credential the server accepts.
    static let native = FakeProviders.names

    @Test("LOGIN-7: what each provider's library hands to a game leads to one member, and each player to another")
    func credentials() async throws {
        try await World.open(on: .sqlite) { world in
            for provider in Self.native {
                var users: [UserID] = []
                for name in ["alice", "alice", "bob"] {
                    let answer = try await world.call(
                        Endpoints.logIn, world.idps.credential(provider, for: name), by: TestDevice())
                    #expect(answer.status == 200, "\(provider): \(answer.text)")
                    users.append(try answer.decoded(as: Login.self).member.userId)
                }
                #expect(users[0] == users[1])
                #expect(users[0] != users[2])
            }
        }
    }

    @Test(
        "IDP-3, IDP-13: an odd answer of a provider lets nobody in, whatever its status", arguments: FakeOddity.allCases
    )
    func oddities(oddity: FakeOddity) async throws {
        try await World.open(on: .sqlite) { world in
            for provider in [Provider.facebook, .naver, .kakao, .twitter, .weibo, .payco, .hangame, .kakaoGame] {
                let credential = try world.idps.credential(provider, for: "alice")
                world.idps.set(.odd(oddity), for: provider)
                let answer = try await world.call(Endpoints.logIn, credential, by: TestDevice())
                #expect([3201, 8002].contains(answer.code), "\(provider): \(answer.text)")
                world.idps.set(nil, for: provider)
            }
            #expect(try await world.rowCounts() == [0, 0, 0, 0])
        }
    }

    @Test("A token that was issued for another client is refused, by every provider that can say so")
    func audiences() async throws {
        try await World.open(on: .sqlite) { world in
            for provider in [Provider.google, .facebook, .line, .kakao, .weibo, .hangame, .kakaoGame] {
                world.idps.set(.wrongAudience, for: provider)
                var credential = Credential(provider: provider)
                credential.accessToken = world.idps.accessToken(provider, for: "alice")
                let answer = try await world.call(Endpoints.logIn, credential, by: TestDevice())
                #expect(answer.code == 3201)
                #expect(answer.reason == "audience_mismatch", "\(provider)")
                world.idps.set(.revokedTokens, for: provider)
                credential.accessToken = world.idps.accessToken(provider, for: "alice")
                #expect(try await world.call(Endpoints.logIn, credential, by: TestDevice()).code == 3201)
                world.idps.set(nil, for: provider)
                // A partner's response contains no time.
                guard provider != .hangame, provider != .kakaoGame else { continue }
                world.clock.advance(seconds: 3_601)
                #expect(try await world.call(Endpoints.logIn, credential, by: TestDevice()).code == 3201)
            }
        }
    }

    @Test(
        "Where a provider can't say for whom a token was issued, the refusal names the setting that allows it; X's old tokens never count"
    )
    func unbound() async throws {
        try await World.open(on: .sqlite) { world in
            for provider in [Provider.naver, .twitter, .payco] {
                var credential = Credential(provider: provider)
                credential.accessToken = world.idps.accessToken(provider, for: "alice")
                let refused = try await world.call(Endpoints.logIn, credential, by: TestDevice())
                #expect(refused.code == 3201)
                #expect(refused.error?.message.contains("for whom") == true)
                #expect(refused.reason == "token_unbound")
                #expect(refused.details?.setting == "accept-unbound-tokens")
                let player = try await world.guestPlayer()
                let mapping = try await world.call(Endpoints.addMapping, credential, by: player)
                #expect(mapping.code == 3301)
                #expect(mapping.details?.setting == "accept-unbound-tokens")
                var configuration = try #require(try await world.run(ReadApp()).providers[provider])
                configuration.acceptsUnboundTokens = true
                try await world.run(SetIdentityProvider(provider: provider, configuration: configuration))
                world.clock.advance(seconds: 2)
                #expect(try await world.call(Endpoints.logIn, credential, by: TestDevice()).status == 200)
            }
            var old = Credential(provider: .twitter)
            old.accessToken = "1234567890-abcDEF123456abcDEF123456"
            let answer = try await world.call(Endpoints.logIn, old, by: TestDevice())
            #expect(answer.code == 3201)
            #expect(answer.error?.message.contains("OAuth 1.0a") == true)
        }
    }

    @Test(
        "Facebook's and LINE's own ways: an ID token in the place of an access token, regions, and HS256 from the web only"
    )
    func quirks() async throws {
        try await World.open(on: .sqlite) { world in
            var limited = Credential(provider: .facebook)
            limited.accessToken = try world.idps.idToken(.facebook, for: "alice")
            let one = try await world.call(Endpoints.logIn, limited, by: TestDevice()).decoded(as: Login.self)
            let classic = try await world.call(
                Endpoints.logIn, world.idps.credential(.facebook, for: "alice"), by: TestDevice())
            #expect(try classic.decoded(as: Login.self).member.userId == one.member.userId)

            // LINE has a separate channel for each region.
            var users: Set<UserID> = []
            for region in [nil, "japan", "thailand"] {
                let device = TestDevice()
                let answer = try await world.call(
                    Endpoints.logIn, world.loginCode(.line, "alice", by: device, region: region), by: device)
                users.insert(try answer.decoded(as: Login.self).member.userId)
            }
            #expect(users.count == 3)
            var japan = try world.idps.credential(.line, for: "alice")
            japan.region = "japan"
            #expect(try await world.call(Endpoints.logIn, japan, by: TestDevice()).reason == "audience_mismatch")
            japan.region = "atlantis"
            #expect(try await world.call(Endpoints.logIn, japan, by: TestDevice()).code == 3202)
            let token = try world.idps.idToken(.line, for: "alice", header: ["alg": "HS256"])
            #expect(
                try await world.call(Endpoints.logIn, Credential(provider: .line, idToken: token), by: TestDevice())
                    .code
                    == 3201)
        }
    }

    @Test("A token is of the device that has used it first, until it ends", arguments: Engine.available)
    func replay(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let credential = try world.credential(.google, "alice")
            let device = TestDevice()
            for _ in 0..<2 { #expect(try await world.call(Endpoints.logIn, credential, by: device).status == 200) }
            let thief = try await world.call(Endpoints.logIn, credential, by: TestDevice())
            #expect(thief.code == 3201)
            #expect(world.audit.events.contains("credential.replayed"))
            let guest = try await world.guestPlayer()
            #expect(try await world.call(Endpoints.addMapping, credential, by: guest).code == 3301)
            let fresh = try world.credential(.google, "bob")
            let codes = try await together(16) { _ in
                try await world.call(Endpoints.logIn, fresh, by: TestDevice()).code
            }
            #expect(codes.count { $0 == nil } == 1)
            world.clock.advance(seconds: 4_000)
            #expect(try await world.sweep() > 0)
            #expect(try await world.count("SELECT COUNT(*) FROM used_credentials") == 0)
        }
    }

    @Test("IDP-4: a provider's new key is found without a restart, and its old one counts no more")
    func rotation() async throws {
        try await World.open(on: .sqlite) { world in
            _ = try await world.logIn(.google, "alice")
            let old = try world.credential(.google, "alice")
            try world.idps.rotateKey(of: .google)
            world.clock.advance(seconds: 61)
            _ = try await world.logIn(.google, "alice")
            #expect(try await world.call(Endpoints.logIn, old, by: TestDevice()).code == 3201)
            // However many unknown keys come, the provider is asked only once a minute.
            let before = world.idps.requests(to: .google)
            for number in 0..<50 {
                let token = try world.idps.idToken(.google, for: "alice", header: ["kid": .string("unknown-\(number)")])
                _ = try await world.call(
                    Endpoints.logIn, Credential(provider: .google, idToken: token), by: TestDevice())
            }
            #expect(world.idps.requests(to: .google) - before <= 1)
        }
    }

    @Test("IDP-6: a discovery document of another issuer, by one letter, is none")
    func discovery() async throws {
        try await World.open(on: .sqlite) { world in
            _ = try await world.call(Endpoints.logIn, world.idps.credential(.studio, for: "alice"), by: TestDevice())
            var configuration = try #require(try await world.run(ReadApp()).providers[.studio])
            configuration.openID?.issuer = "https://id.studio.example/"
            let secrets = try JSONDecoder().decode(
                ProviderSecrets.self, from: JSONEncoder().encode(world.idps.secrets(of: .studio)))
            try await world.run(
                SetIdentityProvider(
                    provider: .studio, configuration: configuration, secrets: secrets, samePersons: true))
            world.clock.advance(seconds: 2)
            let answer = try await world.call(
                Endpoints.logIn, world.idps.credential(.studio, for: "alice"), by: TestDevice())
            #expect(answer.code == 3202)
            #expect(answer.reason == "provider_misconfigured")
            #expect(try await world.begin(.studio, by: TestDevice()).code == 3202)
            let findings = try await world.run(
                TestIdentityProvider(provider: .studio, publicURL: "http://127.0.0.1:8080"))
            #expect(findings.contains { !$0.isFine && $0.text.contains("another issuer") })
        }
    }

    @Test("IDP-13: a provider that fails is left alone for a while, and others feel nothing of it")
    func breaker() async throws {
        try await World.open(on: .sqlite) { world in
            for fault in [FakeFault.down, .tooManyRequests, .slow(milliseconds: 60_000), .lostAnswer] {
                world.idps.set(fault, for: .weibo)
                let before = world.idps.requests(to: .weibo)
                for _ in 0..<40 {
                    let answer = try await world.call(
                        Endpoints.logIn, world.idps.credential(.weibo, for: "alice"), by: TestDevice())
                    #expect(answer.code == 8002)
                    #expect(answer.status == 502)
                }
                #expect(world.idps.requests(to: .weibo) - before <= 6)
                #expect(try await world.logIn(.google, "alice").login.provider == .google)
                world.idps.set(nil, for: .weibo)
                world.clock.advance(seconds: 11)
                let again = try await world.call(
                    Endpoints.logIn, world.idps.credential(.weibo, for: "alice"), by: TestDevice())
                #expect(again.status == 200, "\(fault)")
            }
        }
    }

    @Test("A provider that is switched off lets nobody in, and nobody out")
    func killSwitch() async throws {
        try await World.open(on: .sqlite) { world in
            let player = try await world.logIn(.google, "alice")
            let device = TestDevice()
            let code = try await world.loginCode(.google, "bob", by: device)
            try await world.run(DisableIdentityProvider(provider: .google))
            world.clock.advance(seconds: 2)
            let answer = try await world.call(Endpoints.logIn, world.credential(.google, "alice"), by: TestDevice())
            #expect(answer.code == 3202)
            #expect(try await world.call(Endpoints.logIn, code, by: device).code == 3202)
            #expect(try await world.begin(.google, by: device).code == 3202)
            #expect(try await world.heartbeat(player.device, player.access).status == 200)
        }
    }

    @Test("IDP-12: logins through all providers at once never mix their players")
    func concurrency() async throws {
        try await World.open(on: .sqlite) { world in
            let rounds = Int(ProcessInfo.processInfo.environment["GATEHOUSE_SOAK_ROUNDS"] ?? "") ?? 4
            for round in 0..<rounds {
                let subjects = try await together(64) { number -> (expected: String, found: String?) in
                    let provider = Self.native[number % Self.native.count]
                    let name = "player-\(round % 5)-\(number)"
                    let answer = try await world.call(
                        Endpoints.logIn, world.idps.credential(provider, for: name), by: TestDevice())
                    let mapping = try answer.decoded(as: Login.self).member.mappings.first
                    return (
                        "\(provider) \(world.idps.subject(of: name, at: provider))",
                        mapping.map { "\($0.provider) \($0.subject)" }
                    )
                }
                for subject in subjects { #expect(subject.found == subject.expected) }
            }
        }
    }

    @Test("IDP-1: of two thousand tokens that were tampered with none is accepted, and none does harm")
    func hostileTokens() async throws {
        try await World.open(on: .sqlite) { world in
            // The limits are removed, so that each token is verified.
            _ = try await world.run(
                ChangeLimits { limits in
                    limits.refusedProofsPerMinute = 0
                    limits.changesPerMinute = 0
                })
            world.clock.advance(seconds: 1)
            var seed: UInt64 = 0x9e37_79b9_7f4a_7c15
            func next() -> UInt64 {
                seed ^= seed << 13
                seed ^= seed >> 7
                seed ^= seed << 17
                return seed
            }
            let originals = try [Provider.google, .line].map {
                ($0, Array(try world.idps.idToken($0, for: "alice").secretValue.utf8))
            }
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=%{}\"\u{0}".utf8)
            let device = TestDevice()
            var tokens: [(Provider, String)] = []
            while tokens.count < 2_000 {
                let (provider, original) = originals[Int(next() % 2)]
                var bytes = original
                for _ in 0...(next() % 3) {
                    let place = Int(next() % UInt64(bytes.count))
                    let letter = letters[Int(next() % UInt64(letters.count))]
                    switch next() % 4 {
                    case 0: bytes.insert(letter, at: place)
                    case 1: bytes.remove(at: place)
                    case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int(next() % 40)))
                    default: bytes[place] = letter
                    }
                    if bytes.isEmpty { bytes = [0x2e] }
                }
                // The last letter of base64 has unused bits: a strict decoder refuses changes in them too.
                if bytes != original { tokens.append((provider, String(decoding: bytes, as: UTF8.self))) }
            }
            for (provider, token) in tokens {
                let answer = try await world.call(
                    Endpoints.logIn, Credential(provider: provider, idToken: ProviderToken(token)), by: device)
                #expect([3, 4, 3201].contains(answer.code) && answer.status < 500, "\(answer.status) \(answer.text)")
            }
            #expect(try await world.rowCounts() == [0, 0, 0, 0])
        }
    }
}
