import Crypto
import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct AppTests {
    @Test(
        "KEY-1: two secret keys are valid at once, an older one ends, and none lies in the database",
        arguments: Engine.available)
    func secrets(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let token = try await world.guest(TestDevice()).session.accessToken
            let second = try await world.run(RotateSecret())
            world.clock.advance(seconds: 1)
            #expect(try await world.checkToken(token).status == 200)
            #expect(try await world.checkToken(token, secret: second.secretValue).status == 200)
            let third = try await world.run(RotateSecret())
            world.clock.advance(seconds: 1)
            #expect(try await world.checkToken(token).status == 401)
            #expect(try await world.checkToken(token, secret: second.secretValue).status == 200)
            #expect(try await world.checkToken(token, secret: third.secretValue).status == 200)
            #expect(try await world.run(RevokeOldSecrets()) == 1)
            world.clock.advance(seconds: 1)
            #expect(try await world.checkToken(token, secret: second.secretValue).status == 401)
            #expect(try await world.checkToken(token, secret: third.secretValue).status == 200)
            #expect(world.audit.events.contains("secret-key.refused"))
            #expect(!world.audit.text.contains(second.secretValue))

            let hashes = try await world.database.read { tx in
                try tx.rows("SELECT secret_hash FROM app_secrets") { row in try row[0] as [UInt8] }
            }
            let expected = Array(SHA256.hash(data: Data(third.secretValue.utf8)))
            #expect(hashes.contains(expected))
        }
    }

    @Test("An app's id and name are checked, and an id is taken once", arguments: Engine.available)
    func create(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            for id in ["", "a b", "a/b", "ä", String(repeating: "a", count: 33), "game"] {
                await #expect(throws: Refusal.self) {
                    _ = try await world.run(CreateApp(id: AppID(id), name: "x"))
                }
            }
            await #expect(throws: Refusal.self) {
                _ = try await world.run(CreateApp(id: AppID("fine"), name: ""))
            }
            let apps = try await world.run(ListApps())
            #expect(apps.map { $0.id.rawValue } == ["game", "other-game"])
        }
    }

    @Test("What names no app is refused, and what no app can be is too", arguments: Engine.available)
    func change(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            await #expect(throws: Refusal.self) { _ = try await world.run(RotateSecret(), in: AppID("none")) }
            await #expect(throws: Refusal.self) {
                _ = try await world.run(RotateSigningKey(revokesOthers: false), in: AppID("none"))
            }
            await #expect(throws: Refusal.self) {
                try await world.run(SetStatus(status: .inTest, message: [:]), in: AppID("none"))
            }
            await #expect(throws: Refusal.self) {
                try await world.run(
                    SetMaintenance(begin: world.clock.now, end: world.clock.now, message: [:], url: nil))
            }
            await #expect(throws: Refusal.self, "it is over already") {
                try await world.run(
                    SetMaintenance(
                        begin: world.clock.now.adding(seconds: -20), end: world.clock.now.adding(seconds: -10),
                        message: [:], url: nil))
            }
            await #expect(throws: Refusal.self) {
                _ = try await world.run(ChangeLimits { $0.newGuestsPerMinute = -1 })
            }
            await #expect(throws: Refusal.self) {
                try await world.run(AddTestDevice(key: KeyThumbprint("short"), note: ""))
            }
        }
    }

    @Test("Signing keys rotate without logging anyone out", arguments: Engine.available)
    func rotateKey(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let before = try await world.guest(device)
            let published = { () async throws -> [String] in
                let path = TestCall.path(Endpoints.keys.template)
                let answer = try await world.send(TestCall(method: .get, path: path))
                #expect(answer.headers[.cacheControl] == "public, max-age=300")
                return try answer.decoded(as: KeySet.self).keys.compactMap(\.kid)
            }
            let old = try await published()
            let new = try await world.run(RotateSigningKey(revokesOthers: false))
            world.clock.advance(seconds: 1)
            // The key is published at once, but signs only after game servers have had time to fetch it.
            #expect(try await published() == old + [new])
            #expect(try keyID(of: await world.guest(device).session.accessToken) == old[0])
            world.clock.advance(seconds: 600)
            let after = try await world.guest(device)
            #expect(try keyID(of: after.session.accessToken) == new)
            #expect(try await world.member(device, before.session.accessToken).status == 200)
            #expect(try await world.member(device, after.session.accessToken).status == 200)
            #expect(try await world.refresh(device, before.session.refreshToken).status == 200)
            // The old key is removed when its last token has expired.
            world.clock.advance(seconds: 3_601)
            #expect(try await published() == [new])
            #expect(try await world.logInWithLastProvider(device, before.session.refreshToken).status == 200)
        }
    }

    @Test(
        "A signing key that leaked ends at once, and devices get new tokens by themselves", arguments: Engine.available)
    func revokeKeys(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let login = try await world.guest(device)
            _ = try await world.run(RotateSigningKey(revokesOthers: true))
            // A node that has not read the app since then accepts a token signed with the new key by another node.
            try await world.onSecondNode { second in
                world.clock.advance(seconds: 1)
                let renewed = try await second.refresh(device, login.session.refreshToken).decoded(
                    as: SessionRenewal.self)
                #expect(try await world.member(device, renewed.session.accessToken).status == 200)
                #expect(try await second.member(device, login.session.accessToken).code == 3011)
                #expect(try await world.member(device, login.session.accessToken).code == 3011)
            }
        }
    }

    @Test("Access tokens verify with the published key, by anyone's ES256", arguments: Engine.available)
    func publishedKey(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let login = try await world.guest(TestDevice())
            let keys = try await world.send(
                TestCall(method: .get, path: TestCall.path(Endpoints.keys.template))
            ).decoded(as: KeySet.self)
            let jwk = try #require(keys.keys.first)
            let point = try #require(Base64URL.decode(jwk.x)) + #require(Base64URL.decode(jwk.y))
            let key = try P256.Signing.PublicKey(rawRepresentation: point)
            let parts = login.session.accessToken.secretValue.split(separator: ".")
            let signature = try P256.Signing.ECDSASignature(
                rawRepresentation: #require(Base64URL.decode(String(parts[2]))))
            #expect(key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
            let claims = try JSONDecoder().decode(
                [String: JSONValue].self, from: Data(#require(Base64URL.decode(String(parts[1])))))
            #expect(claims["sub"]?.stringValue == login.member.userId.rawValue)
            #expect(claims["aud"]?.stringValue == "game")
            #expect(claims["exp"]?.integerValue == login.session.accessTokenExpiryDate / 1_000)
        }
    }

    @Test("A database that was written under another master key is refused at the start", arguments: Engine.available)
    func otherMasterKey(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let vault = try KeyVault(masterKey: [UInt8](repeating: 8, count: 32))
            await #expect(throws: KeyVaultError.self) {
                _ = try await Administration(
                    database: world.database, vault: vault, environment: world.clock.environment(),
                    audit: world.audit.log
                )
            }
        }
    }

    private func keyID(of token: AccessToken) throws -> String? {
        let header = try #require(
            token.secretValue.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) })
        return try JSONDecoder().decode([String: JSONValue].self, from: Data(header))["kid"]?.stringValue
    }

    @Test("INP-1: an app that there is not costs the database one question, however often it is asked for")
    func unknownApps() async throws {
        try await World.open(on: .sqlite) { world in
            let path = TestCall.path(Endpoints.launching.template, app: AppID("nobodys"))
            let first = try await world.send(TestCall(method: .get, path: path))
            #expect(first.code == 2003)
            // The app is cached for a second, and the clock stands still.
            await world.database.close()
            #expect(try await world.send(TestCall(method: .get, path: path)).code == 2003)
            let other = TestCall.path(Endpoints.launching.template, app: AppID("another"))
            #expect(try await world.send(TestCall(method: .get, path: other)).status == 503)
        }
    }
}
