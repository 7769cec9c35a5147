import Crypto
import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseWire
import Testing

/// How calls are sent, and how failures are handled.
@Suite struct CallTests {
    @Test("SES-2: a proof is one of RFC 9449, by the device's key, for this call and this token")
    func proof() async throws {
        let device = try Device()
        try await device.start()
        _ = try await device.logIn()
        device.network.script(.member())
        _ = try await device.gatehouse.fetchMember()
        let request = try device.network.requests.last.unwrapped()
        let proof = try SignedProof(request.headers["DPoP"].unwrapped())
        #expect(proof.isSigned)
        #expect(proof.header["typ"] == "dpop+jwt")
        #expect(proof.header["alg"] == "ES256")
        #expect(proof.claims["htm"] == "GET")
        #expect(proof.claims["htu"] == "https://login.example.com/v1/apps/game/member")
        #expect(proof.claims["iat"] == .integer(device.now / 1_000))
        #expect(proof.claims["ath"] == .string(Base64URL.encode(SHA256.hash(data: Data("access-1".utf8)))))
        let stored = try device.storage.contents["device-key"].unwrapped()
        let key = try P256.Signing.PrivateKey(rawRepresentation: stored)
        #expect(proof.key == key.publicKey.rawRepresentation)
        // No request contains the private key.
        for request in device.network.requests {
            let text = "\(request.headers) \(String(decoding: request.body ?? Data(), as: UTF8.self))"
            #expect(!text.contains(Base64URL.encode(stored)))
            #expect(!text.contains(stored.base64EncodedString()))
        }
    }

    @Test("LOGIN-13: a lost call is repeated with the same idempotency key and a new proof, and then given up")
    func retries() async throws {
        let device = try Device()
        try await device.start()
        for _ in 0..<3 { device.network.thenFail(.timedOut) }
        let call = Task { await failure { try await device.gatehouse.logIn(with: .guest) } }
        for _ in 0..<2 {
            await device.clock.waitForSleepers()
            device.clock.advance(seconds: 1)
        }
        #expect(await call.value?.code == .socketResponseTimeout)
        let tries = device.network.requests.dropFirst()
        #expect(tries.count == 3)
        #expect(Set(tries.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(Set(tries.map { $0.headers["DPoP"] }).count == 3)
        // The server recognises the game's repeated call as the same one; a call after its response is another one.
        _ = try await device.logIn()
        let repeated = device.network.requests.last
        #expect(repeated?.headers["Idempotency-Key"] == tries.first?.headers["Idempotency-Key"])
        device.network.then(Empty())
        try await device.gatehouse.logOut()
        _ = try await device.logIn()
        #expect(device.network.requests.last?.headers["Idempotency-Key"] != tries.first?.headers["Idempotency-Key"])
    }

    @Test("SES-2: a stale proof is signed anew by the server's clock; a server that is never content is given up on")
    func staleProof() async throws {
        let device = try Device()
        try await device.start()
        let serverDate = device.now + 31_536_000_000
        let refusal = { (device: Device) in
            device.network.thenRefuse(
                .authIDPLoginFailed, reason: .proofStale, details: ErrorDetails(serverDate: serverDate))
        }
        refusal(device)
        _ = try await device.logIn()
        let proof = try SignedProof(device.network.requests.last.unwrapped().headers["DPoP"].unwrapped())
        #expect(proof.claims["iat"] == .integer(serverDate / 1_000))

        device.network.then(Empty())
        try await device.gatehouse.logOut()
        for _ in 0..<3 { refusal(device) }
        #expect(await failure { try await device.gatehouse.logIn(with: .guest) }?.reason == .proofStale)
        #expect(device.network.stepsLeft == 0)
    }

    @Test("Calls say what the player reads, best first")
    func languages() async throws {
        let device = try Device()
        try await device.start()
        #expect(device.network.requests.last?.headers["Accept-Language"] == "ko-KR, en;q=0.8")
    }

    @Test("Every call says what the device is, because the game's status can depend on it")
    func client() async throws {
        let device = try Device { $0.client?.clientVersion = "1.9.9" }
        try await device.start()
        let started = try device.network.requests.last.unwrapped().headers[HeaderNames.client].unwrapped()
        #expect(ClientInformation(headerValue: started)?.clientVersion == "1.9.9")
        _ = try await device.logIn()
        #expect(device.network.requests.last?.headers[HeaderNames.client] == started)
    }

    @Test(
        "A server's URL is used and signed in its normal form",
        arguments: [
            "https://login.example.com/", "HTTPS://Login.Example.com:443", "https://login.example.com.",
        ])
    func serverURL(text: String) async throws {
        let url = try URL(string: text).unwrapped()
        let device = try Device { $0.serverURL = url }
        try await device.start()
        #expect(device.network.requests.last?.url.absoluteString == "https://login.example.com/v1/apps/game/launching")
        _ = try await device.logIn()
        let request = try device.network.requests.last.unwrapped()
        let proof = try SignedProof(request.headers["DPoP"].unwrapped())
        #expect(proof.claims["htu"] == "https://login.example.com/v1/apps/game/login")
    }

    @Test(
        "A URL that is no server's is 3, before anything is sent",
        arguments: [
            "https://login.example.com/game", "https://kim@login.example.com", "https://login.example.com?x=1",
            "https://login.example.com#x", "ftp://login.example.com", "login.example.com", "file:///tmp",
        ])
    func noServerURL(text: String) async throws {
        let url = try URL(string: text).unwrapped()
        let device = try Device { $0.serverURL = url }
        #expect(await failure { try await device.gatehouse.start() }?.code == .invalidParameter)
        #expect(device.network.requests.isEmpty)
    }

    @Test("A cancelled call ends with 3001 and leaves no trace")
    func cancellation() async throws {
        let device = try Device()
        try await device.start()
        device.network.then { _ in .hang }
        let call = Task { await failure { try await device.gatehouse.logIn(with: .guest) } }
        while device.network.requests.count < 2 { await Task.yield() }
        call.cancel()
        #expect(await call.value?.code == .authUserCanceled)
        #expect(device.gatehouse.state == .signedOut(.noSession))
        #expect(!device.storage.contents.keys.contains("session"))
    }

    @Test("ERROR-1: an error prints as JSON, with its cause, and without a secret")
    func description() async throws {
        let first = try Device()
        try await first.start()
        _ = try await first.logIn()
        let device = try Device(storage: first.storage)
        try await device.start()
        device.network.thenRefuse(.authAuthenticationServerError, status: 500)
        let error = try await failure { try await device.gatehouse.logInWithLastProvider() }.unwrapped()
        #expect(error.detailErrorCode == ErrorCode.authAuthenticationServerError.rawValue)
        #expect(error.detailErrorMessage == "scripted")
        let object = try JSONDecoder().decode([String: JSONValue].self, from: Data("\(error)".utf8))
        #expect(object["code"] == 3101)
        #expect(object["name"] == "AUTH_TOKEN_LOGIN_FAILED")
        #expect(object["domain"] == .string(AuthError.serverDomain))
        #expect(object["transactionId"] == "scripted")
        #expect(!"\(error)".contains("canary"))
        #expect(AuthError.isSuccess(nil))
        #expect(!AuthError.isSuccess(error))
    }

    @Test("ERROR-3: an error prints what a newer server says beside it, but no secret in it")
    func unknownDetails() async throws {
        let device = try Device()
        try await device.start()
        let ticket: JSONValue = ["forcingMappingKey": "canary", "later": 1]
        device.network.thenRefuse(
            .authIDPLoginFailed,
            details: ErrorDetails(message: "Bye.", other: ["forcingMappingTicket": ticket, "later": [2]]))
        let error = try await failure { try await device.gatehouse.logIn(with: .guest) }.unwrapped()
        #expect(error.forcingMappingTicket == nil && error.details.other["forcingMappingTicket"] == ticket)
        let object = try JSONDecoder().decode([String: JSONValue].self, from: Data("\(error)".utf8))
        #expect(
            object["details"] == [
                "message": "Bye.", "later": [2],
                "forcingMappingTicket": ["forcingMappingKey": "<ForcingMappingKey>", "later": 1],
            ])
    }

    /// A proof as its receiver parses it.
    private struct SignedProof {
        let header: [String: JSONValue]
        let claims: [String: JSONValue]
        let key: Data
        let isSigned: Bool

        init(_ text: String) throws {
            let parts = text.split(separator: ".").map(String.init)
            guard parts.count == 3 else { throw Optional<Int>.Missing() }
            header = try JSONDecoder().decode(
                [String: JSONValue].self, from: Data(Base64URL.decode(parts[0]).unwrapped()))
            claims = try JSONDecoder().decode(
                [String: JSONValue].self, from: Data(Base64URL.decode(parts[1]).unwrapped()))
            guard case .object(let jwk)? = header["jwk"] else { throw Optional<Int>.Missing() }
            let coordinates = try ["x", "y"].map {
                try Data(Base64URL.decode(jwk[$0]?.stringValue ?? "?").unwrapped())
            }
            key = coordinates[0] + coordinates[1]
            let signature = try P256.Signing.ECDSASignature(
                rawRepresentation: Data(Base64URL.decode(parts[2]).unwrapped()))
            isSigned = try P256.Signing.PublicKey(rawRepresentation: key)
                .isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8))
        }
    }
}
