import Foundation
import GatehouseCore
import GatehouseProviders
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// Players come from Gamebase, and in its place stands another server of ours: its Server API answers what a source of the kind gamebase
/// asks.
@Suite struct OldGamebaseTests {
    private static let origin = "https://api-gamebase.nhncloudservice.com"
    private static let source = "gamebase"

    /// Runs a test with the old system and a new server that can ask it, with the old one's secret key.
    private func withOldGamebase(
        _ engine: Engine, _ test: @escaping @Sendable (_ old: TestServer, _ new: TestServer) async throws -> Void
    ) async throws {
        try await TestServer.open(on: engine) { old in
            try await TestServer.open(
                on: engine,
                surroundings: { environment, _ in
                    environment.fetch = { request in
                        let method = try #require(HTTPRequest.Method(request.method))
                        #expect(request.url.hasPrefix("\(Self.origin)/"))
                        let answer = try await old.send(
                            TestCall(
                                method: method, path: String(request.url.dropFirst(Self.origin.count)),
                                headers: request.headers,
                                body: request.body.map { String(decoding: $0, as: UTF8.self) }))
                        return OutgoingResponse(status: answer.status, body: Data(answer.text.utf8))
                    }
                }
            ) { new in
                try await Self.set(key: old.secret, in: new)
                try await test(old, new)
                try await new.expectInvariants()
            }
        }
    }

    private static func set(key: SecretKey, in new: TestServer) async throws {
        var settings = LegacySettings()
        settings.project = TestServer.app.rawValue
        try await new.run(
            SetLegacySource(
                name: source, kind: .gamebase, settings: settings, key: ProviderToken(key.secretValue), until: nil))
    }

    private func migrate(
        _ kind: LegacyCredential.Kind, _ value: String, id: String, on device: TestDevice = TestDevice(),
        in new: TestServer
    ) async throws -> TestAnswer {
        let credential = LegacyCredential(kind: kind, value: ProviderToken(value), id: id)
        let answer = try await new.call(
            Endpoints.migrate, MigrationRequest(source: Self.source, credential: credential), by: device)
        #expect(!answer.text.contains(value))
        return answer
    }

    @Test(
        "An access token of the old server brings its player, and one that is over or of another brings nobody",
        arguments: Engine.available)
    func accessToken(engine: Engine) async throws {
        try await withOldGamebase(engine) { old, new in
            let (guest, alice) = (try await old.guestPlayer(), try await old.logIn(.google, "alice"))
            for player in [guest, alice] {
                let device = TestDevice()
                let token = player.access.secretValue
                let login = try await migrate(
                    .accessToken, token, id: player.user.rawValue, on: device, in: new
                ).decoded(as: Login.self)
                #expect(login.migrated?.legacyId == player.user.rawValue && login.migrated?.first == true)
                #expect(login.member.userId != player.user)
                let again = try await migrate(
                    .accessToken, token, id: player.user.rawValue, on: device, in: new
                ).decoded(as: Login.self)
                #expect(again.member.userId == login.member.userId && again.migrated?.first == false)
                // It belongs to the first device.
                let stolen = try await migrate(.accessToken, token, id: player.user.rawValue, in: new)
                #expect(stolen.code == 3201 && stolen.details?.reason == .credentialRejected)
                #expect(!"\(old.audit.text)\(new.audit.text)".contains(token))
            }

            let (bob, banned) = (try await old.guestPlayer(), try await old.guestPlayer())
            func reason(_ token: AccessToken, id: UserID) async throws -> ErrorReason? {
                let answer = try await migrate(.accessToken, token.secretValue, id: id.rawValue, in: new)
                #expect(answer.code == 3201)
                return answer.details?.reason
            }
            #expect(try await reason(bob.access, id: alice.user) == .credentialRejected)
            #expect(try await reason(AccessToken("not-a-token-of-anybody"), id: bob.user) == .credentialRejected)
            try await old.run(BanMembers([banned.user], until: nil), reason: "aimbot")
            #expect(try await reason(banned.access, id: banned.user) == .credentialRejected)
            old.clock.advance(seconds: 3_601)
            #expect(try await reason(bob.access, id: bob.user) == .credentialExpired)
            #expect(try await new.count("SELECT COUNT(*) FROM members") == 2)
        }
    }

    @Test(
        "A transfer account of the old server brings its player, and a wrong password nobody",
        arguments: Engine.available)
    func transferAccount(engine: Engine) async throws {
        try await withOldGamebase(engine) { old, new in
            let player = try await old.guestPlayer()
            let account = try await old.issue(for: player)
            let password = try #require(account.password?.secretValue)
            let wrong = try await migrate(.transferAccount, "wrongWRONG1", id: account.id, in: new)
            #expect(wrong.code == 3201 && wrong.details?.reason == .credentialRejected)
            let unknown = try await migrate(.transferAccount, password, id: "000000000000", in: new)
            #expect(unknown.code == 3201 && unknown.details?.reason == .credentialRejected)
            let device = TestDevice()
            let login = try await migrate(
                .transferAccount, password, id: account.id, on: device, in: new
            ).decoded(as: Login.self)
            #expect(login.migrated?.legacyId == player.user.rawValue && login.migrated?.first == true)
            // The password is bound to no device, and the player to the first one.
            let second = try await migrate(.transferAccount, password, id: account.id, in: new)
            #expect(second.code == 3201 && second.details?.reason == .legacyClaimed)
            #expect(!"\(old.audit.text)\(new.audit.text)".contains(password))
            #expect(try await new.count("SELECT COUNT(*) FROM members") == 1)
        }
    }

    @Test("A secret key that the old server does not know brings nobody", arguments: Engine.available)
    func otherKey(engine: Engine) async throws {
        try await withOldGamebase(engine) { old, new in
            let player = try await old.guestPlayer()
            try await Self.set(key: SecretKey("gsk_\(String(repeating: "k", count: 43))"), in: new)
            let answer = try await migrate(
                .accessToken, player.access.secretValue, id: player.user.rawValue, in: new)
            #expect(answer.code == 3201 && answer.details?.reason == .credentialRejected)
            #expect(try await new.count("SELECT COUNT(*) FROM members") == 0)
        }
    }
}
