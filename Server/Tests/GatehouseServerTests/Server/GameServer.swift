import Crypto
import Foundation
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// A game server that verifies tokens itself, as docs/game-servers.md describes.
final class GameServer {
    let server: TestServer
    var cursor: String?
    var revocations: [[String: JSONValue]] = []
    var everyoneBefore: Int64?

    init(_ server: TestServer) { self.server = server }

    func poll() async throws {
        var isComplete = false
        while !isComplete {
            let answer = try await server.call(gameServer: Endpoints.revocations, RevocationsRequest(cursor: cursor))
            let signed = try answer.decoded(as: SignedRevocations.self)
            let list = try await verified(signed.revocations)
            #expect(list["aud"]?.stringValue == TestServer.app.rawValue)
            revocations += (list["revocations"]?.arrayValue ?? []).compactMap(\.objectValue)
            everyoneBefore = list["everyoneBefore"]?.integerValue
            isComplete = list["isComplete"]?.boolValue == true
            #expect((signed.nextSeconds == 0) == !isComplete)
            cursor = signed.cursor
        }
    }

    private func verified(_ token: String) async throws -> JSONValue {
        let keys = try await server.send(TestCall(method: .get, path: TestCall.path(Endpoints.keys.template)))
            .decoded(as: KeySet.self)
        let parts = token.split(separator: ".").map(String.init)
        let header = try Self.json(parts[0])
        #expect(header["typ"]?.stringValue == "revocations+jwt")
        #expect(header["alg"]?.stringValue == "ES256")
        let key = try #require(keys.keys.first { $0.kid == header["kid"]?.stringValue })
        let publicKey = try #require(P256.Signing.PublicKey(x: key.x, y: key.y))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: try Self.bytes(parts[2]))
        #expect(publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        return try Self.claims(token)
    }

    private static func bytes(_ text: String) throws -> Data { Data(try #require(Base64URL.decode(text))) }

    private static func json(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: bytes(text))
    }

    static func claims(_ token: String) throws -> JSONValue {
        try json(String(token.split(separator: ".")[1]))
    }

    func accepts(_ player: Player) throws -> Bool { try accepts(player.access) }

    func accepts(_ token: AccessToken) throws -> Bool {
        let claims = try Self.claims(token.secretValue)
        let issued = try #require(claims["iat"]?.integerValue)
        if let everyoneBefore, issued < everyoneBefore { return false }
        return !revocations.contains { revocation in
            guard revocation["sub"] == claims["sub"] else { return false }
            if let session = revocation["sid"], session != claims["sid"] { return false }
            if let provider = revocation["idp"] {
                guard provider == claims["idp"], issued < revocation["revokedAt"]?.integerValue ?? 0 else {
                    return false
                }
            }
            if let generation = revocation["gen"]?.integerValue {
                return (claims["gen"]?.integerValue ?? 0) < generation
            }
            return true
        }
    }
}
