import Crypto
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

@Suite struct AppTests {
    @Test("Access tokens verify with the published key, by anyone's ES256", arguments: Engine.ofDoors)
    func publishedKey(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let login = try await server.guest(TestDevice())
            let answer = try await server.send(TestCall(method: .get, path: TestCall.path(Endpoints.keys.template)))
            #expect(answer.headers[.cacheControl] == "public, max-age=300")
            let jwk = try #require(try answer.decoded(as: KeySet.self).keys.first)
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

    @Test("Other systems find the keys by the issuer that access tokens name", arguments: Engine.ofDoors)
    func issuer(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let login = try await server.guest(TestDevice())
            let parts = login.session.accessToken.secretValue.split(separator: ".")
            let claims = try JSONDecoder().decode(
                [String: JSONValue].self, from: Data(#require(Base64URL.decode(String(parts[1])))))
            let issuer = try #require(claims["iss"]?.stringValue)
            #expect(issuer == "\(TestServer.origin)/v1/apps/game")
            let path = "/v1/apps/game/.well-known/openid-configuration"
            let answer = try await server.send(TestCall(method: .get, path: path))
            #expect(answer.status == 200 && answer.headers[.cacheControl] == "public, max-age=300")
            let document = try JSONDecoder().decode([String: JSONValue].self, from: Data(answer.text.utf8))
            #expect(document["issuer"]?.stringValue == issuer)
            #expect(document["id_token_signing_alg_values_supported"] == .array([.string("ES256")]))
            let keys = try #require(document["jwks_uri"]?.stringValue)
            #expect(keys == "\(issuer)/jwks.json")
            let found = try await server.send(
                TestCall(method: .get, path: String(keys.dropFirst(TestServer.origin.count))))
            #expect(try !found.decoded(as: KeySet.self).keys.isEmpty)
            // It is what Gatehouse itself takes as an issuer's.
            #expect(Discovery.read(Data(answer.text.utf8))?.issuer == issuer)
            let unknown = path.replacingOccurrences(of: "game", with: "nothing")
            #expect(try await server.send(TestCall(method: .get, path: unknown)).status == 404)
            #expect(try await server.send(TestCall(method: .post, path: path)).status == 405)
        }
    }

    @Test("A database that was written under another master key is refused at the start", arguments: Engine.ofDoors)
    func otherMasterKey(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let vault = try KeyVault(masterKey: [UInt8](repeating: 8, count: 32))
            await #expect(throws: KeyVaultError.self) {
                _ = try await Administration(
                    database: server.database, vault: vault, environment: server.clock.environment(),
                    audit: server.audit.log
                )
            }
        }
    }
}
