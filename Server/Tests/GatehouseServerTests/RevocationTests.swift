import FakeProviders
import GatehouseCore
import GatehouseProviders
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct RevocationTests {
    @Test("WITHDRAW-1: what a person has allowed is taken back at every provider that offers it")
    func everyProvider() async throws {
        try await TestServer.open(on: .sqlite) { server in
            for provider in [Provider.google, .apple, .facebook, .line, .naver, .kakao, .twitter, .weibo, .studio] {
                let device = TestDevice()
                let login = try await server.call(
                    Endpoints.logIn, server.loginCode(provider, "alice", by: device), by: device
                ).decoded(as: Login.self)
                let player = Player(device: device, login: login)
                let before = server.idps.revoked.count
                // Months later.
                server.clock.advance(seconds: 1_800)
                _ = try await server.call(Endpoints.withdraw, Empty(), by: player)
                #expect(try await server.runJobs() == 1)
                #expect(server.idps.revoked.count == before + 1, "\(provider)")
                #expect(try await server.run(ListJobs(state: .waiting)).isEmpty)
                #expect(try await server.history(player.user).last == "idp-tokens.revoked")
            }
            // Kakao needs no token: the admin key identifies the person.
            #expect(server.idps.revoked.contains("kakao:\(server.idps.subject(of: "alice", at: .kakao))"))
            #expect(try await server.count("SELECT COUNT(*) FROM jobs WHERE sealed_payload IS NOT NULL") == 0)
        }
    }

    @Test("WITHDRAW-1: Apple's code is exchanged at the login, so that there is something to revoke")
    func appleCode() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let login = try await server.call(
                Endpoints.logIn, server.idps.credential(.apple, for: "alice"), by: device
            ).decoded(as: Login.self)
            _ = try await server.call(Endpoints.withdraw, Empty(), by: Player(device: device, login: login))
            #expect(try await server.runJobs() == 1)
            #expect(server.idps.revoked == [server.idps.accessToken(.apple, for: "alice", kind: "refresh").secretValue])
            // A game's app and its web page are two clients, and each uses its own id.
            var configuration = try #require(try await server.run(ReadApp()).providers[.apple])
            configuration.clientIds = ["web-page", "gatehouse-appleid"]
            try await server.run(SaveIdentityProvider(provider: .apple, configuration: configuration))
            server.clock.advance(seconds: 2)
            let phone = TestDevice()
            let second = try await server.call(
                Endpoints.logIn, server.idps.credential(.apple, for: "carol"), by: phone
            ).decoded(as: Login.self)
            _ = try await server.call(Endpoints.withdraw, Empty(), by: Player(device: phone, login: second))
            #expect(try await server.runJobs() == 1)
            #expect(server.idps.revoked.count == 2)
            // A code that Apple does not know makes the login fail; Apple being down does not.
            var forged = try server.idps.credential(.apple, for: "bob")
            forged.authorizationCode = "nonsense"
            #expect(try await server.call(Endpoints.logIn, forged, by: TestDevice()).code == 3201)
        }
    }

    @Test("WITHDRAW-1: what is owed to a person waits while the provider is switched off")
    func switchedOff() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let player = try await server.logIn(.google, "alice", accessToken: true)
            let configuration = try #require(try await server.run(ReadApp()).providers[.google])
            try await server.run(DisableIdentityProvider(provider: .google))
            server.clock.advance(seconds: 2)
            _ = try await server.call(Endpoints.withdraw, Empty(), by: player)
            #expect(try await server.runJobs() == 1)
            #expect(try await server.run(ListJobs(state: .waiting)).count == 1)
            try await server.run(SaveIdentityProvider(provider: .google, configuration: configuration))
            server.clock.advance(seconds: 60)
            #expect(try await server.runJobs() == 1)
            #expect(server.idps.revoked.count == 1)
        }
    }

    @Test("The secrets of providers lie in the database encrypted, and reach nobody")
    func secrets() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let dump = try await server.database.dump()
            let launching = try await server.send(.get, Endpoints.launching.template, by: TestDevice()).text
            for secret in FakeProviders.names.map({ server.idps.clientSecret(of: $0) }) + [
                server.idps.adminKey, "PRIVATE KEY",
            ] {
                #expect(!dump.contains(secret))
                #expect(!launching.contains(secret))
            }
            #expect(!server.audit.text.contains("secret-of"))
        }
    }
}
