import Foundation
import GatehouseJSON
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

@Suite struct TokenCheckTests {
    @Test("What a game server is told of a token is written as its Codable conformance would write it")
    func written() throws {
        let member = Member(
            appId: AppID("app"), userId: UserID("user"), status: .normal, registrationDate: 1, lastLoginDate: -2,
            mappings: [Mapping(provider: .google, subject: "a\"b", registrationDate: 3)])
        let check = TokenCheck(
            member: member, provider: .google, sessionId: SessionID("session"), accessTokenExpiryDate: 12)
        let bytes = try JSONWriter.bytes(of: check)
        #expect(try JSONDecoder().decode(TokenCheck.self, from: Data(bytes)) == check)
        // Foundation calls the value's own `encode(to:)`.
        let expected = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(check))
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(bytes)) == expected)
    }
}
