import Foundation
import Testing

@testable import GatehouseWire

@Suite struct WireTests {
    @Test(
        "base64url has one text for one value (RFC 4648 section 10)",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
            ("\u{3}\u{ff}", "A8O_"),
        ])
    func base64url(plain: String, encoded: String) {
        #expect(Base64URL.encode(plain.utf8) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test(
        "base64url takes nothing that it would not write",
        arguments: ["A", "Zg==", "Zh", "Zm9=", "Zm 9v", "Zm+v", "Zm/v", "Zm9v\n", "Zm9vY", "é"])
    func noBase64url(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(
        "INP-6: an id stays one segment of its path",
        arguments: [
            ("game", "game"), ("../x", "..%2Fx"), ("..", "%2E%2E"), (".", "%2E"), ("a/b?c#d", "a%2Fb%3Fc%23d"),
            ("ä", "%C3%A4"),
            ("%2e%2e", "%252e%252e"), ("a\u{0}b", "a%00b"), ("", ""),
        ])
    func path(id: String, segment: String) {
        #expect(Endpoints.launching.path(app: AppID(id)) == "/v1/apps/\(segment)/launching")
    }

    @Test("LOG-1: printing a secret shows only its kind")
    func secrets() {
        let token = RefreshToken("canary")
        let tokens = SessionTokens(
            accessToken: AccessToken("canary"), accessTokenExpiryDate: 1, refreshToken: token, sessionExpiryDate: 2)
        var dumped = ""
        dump(tokens, to: &dumped)
        for text in ["\(token)", "\(tokens)", String(reflecting: tokens), "\(Optional(token) as Any)", dumped] {
            #expect(!text.contains("canary"))
        }
        #expect("\(token)" == "<RefreshToken>")
    }

    @Test("Values of open sets survive, and unknown members are ignored")
    func openSets() throws {
        let json = """
            {"appId":"game","status":299,"isPlayable":true,"providers":{"guest":{},"newidp":{"clientId":"c","later":1}},
             "language":"en","heartbeatSeconds":60,"serverDate":1,"later":{"x":[]}}
            """
        let information = try JSONDecoder().decode(LaunchingInformation.self, from: Data(json.utf8))
        #expect(information.status == LaunchingStatus(rawValue: 299))
        #expect(information.status.isPlayable)
        #expect(information.providers[Provider("newidp")]?.clientId == "c")
        let again = try JSONDecoder().decode(LaunchingInformation.self, from: JSONEncoder().encode(information))
        #expect(again == information)
    }

    @Test("An error envelope has the documented form")
    func envelope() throws {
        let error = WireError(
            code: .authNotPlayable, message: "m", transactionId: TransactionID("t"),
            details: ErrorDetails(
                reason: ErrorReason("r"), other: ["n": 1, "list": [1, 2.5, true, .null], "o": ["k": "v"]]))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(ErrorEnvelope(error: error)), as: UTF8.self)
        #expect(
            json
                == #"{"error":{"code":3701,"details":{"list":[1,2.5,true,null],"n":1,"o":{"k":"v"},"reason":"r"},"message":"m","name":"AUTH_NOT_PLAYABLE","transactionId":"t"}}"#
        )
        #expect(try JSONDecoder().decode(ErrorEnvelope.self, from: Data(json.utf8)).error == error)
    }

    @Test("Every endpoint for devices is listed once, and none for game servers")
    func endpoints() {
        #expect(Endpoints.all.count == Mirror(reflecting: DeviceEndpoints.defined).children.count)
        #expect(Endpoints.all.contains(EndpointSummary(Endpoints.launching)))
        #expect(Endpoints.all.contains(EndpointSummary(Endpoints.cancelWithdrawal)))
        #expect(Set(Endpoints.all.map(\.template)).count == Endpoints.all.count)
        #expect(Endpoints.all.allSatisfy { !$0.template.contains("/server/") })
        #expect(Endpoints.all.allSatisfy { $0.template.hasPrefix("/v1/") && $0.template.contains("{appId}") })
    }
}
