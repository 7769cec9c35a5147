import Crypto
import CryptoExtras
import FakeProviders
import Foundation
import GatehouseJSON
import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseProviders

/// The server's authentication at an OpenID Connect provider: `studio` requires its clients to use the offered methods.
@Suite struct ClientAuthenticationTests {
    /// Logs in at the page, revokes what that has brought, and expects that the provider has taken it.
    private func expectRevoked(_ app: FakeApp, _ configuration: ProviderConfiguration? = nil) async throws {
        let tokens = try #require(try await app.logInAtPage(.studio, "alice", configuration).tokens)
        let before = app.idps.revoked.count
        try await TokenRevocation(client: app.client(for: .studio, configuration)).revoke(tokens, at: app.now)
        #expect(app.idps.revoked.count == before + 1)
    }

    private func clientKey(_ app: FakeApp) -> JSONValue {
        ["keyId": "k1", "privateKey": .string(app.idps.clientKeyPEM)]
    }

    @Test(
        "WITHDRAW-1: a client logs in and revokes by the method that the discovery document offers, or by OpenID Connect's default",
        arguments: [nil, "client_secret_basic", "client_secret_post", "private_key_jwt"])
    func discovered(method: String?) async throws {
        let app = try FakeApp()
        if let method {
            app.idps.setDiscovery(["token_endpoint_auth_methods_supported": ["client_secret_jwt", .string(method)]])
        }
        let isKey = method == "private_key_jwt"
        let secrets: [String: JSONValue] = isKey ? ["clientSecret": .null, "clientKey": clientKey(app)] : [:]
        try await expectRevoked(app, app.configuration(of: .studio, secrets: secrets))
    }

    @Test("WITHDRAW-1: the revocation endpoint may offer another method than the token endpoint")
    func twoEndpoints() async throws {
        let app = try FakeApp()
        app.idps.setDiscovery([
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            "revocation_endpoint_auth_methods_supported": ["client_secret_basic"],
        ])
        try await expectRevoked(app)
    }

    @Test(
        "WITHDRAW-1: where a method is chosen that the revocation endpoint does not take, a secret beside the key revokes",
        arguments: [true, false])
    func chosenForOneEndpoint(hasSecret: Bool) async throws {
        let app = try FakeApp()
        app.idps.setDiscovery([
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
            "revocation_endpoint_auth_methods_supported": ["client_secret_basic"],
        ])
        var secrets: [String: JSONValue] = ["clientKey": clientKey(app)]
        if !hasSecret { secrets["clientSecret"] = .null }
        let configuration = try app.configuration(
            of: .studio, ["clientAuthentication": "private_key_jwt"], secrets: secrets)
        let findings = try await app.findings(.studio, configuration)
        let wrong = findings.first { $0.code == "revocation.method" }
        guard !hasSecret else {
            #expect(wrong == nil)
            try await expectRevoked(app, configuration)
            return
        }
        #expect(wrong?.isWrong == true && wrong?.text.contains("client_secret_basic only") == true, "\(findings)")
    }

    /// What the test of the settings says of a client with a private key.
    ///
    /// - Parameter answer: the answer of the provider's token endpoint to a form.
    private func trial(
        status: Int = 400, _ answer: @escaping @Sendable (_ form: String) -> String
    ) async throws -> ProviderFinding {
        let document = """
            {
                "issuer": "https://id.example", "jwks_uri": "https://id.example/keys",
                "authorization_endpoint": "https://id.example/authorize", "token_endpoint": "https://id.example/token",
                "token_endpoint_auth_methods_supported": ["private_key_jwt"]
            }
            """
        let environment = ServerEnvironment(
            now: { Moment(milliseconds: 0) }, monotonicNanoseconds: { 1_000_000_000 }, random: .live,
            fetch: { request in
                guard request.method == "POST" else { return OutgoingResponse(status: 200, body: Data(document.utf8)) }
                let form = String(decoding: request.body ?? Data(), as: UTF8.self)
                return OutgoingResponse(status: status, body: Data(answer(form).utf8))
            })
        let gateway = ProviderGateway(environment: environment)
        var configuration = ProviderConfiguration(kind: .openID, clientIds: ["game"])
        configuration.openID?.issuer = "https://id.example"
        var secrets = ProviderSecrets()
        secrets.clientKey = .init(privateKey: ProviderToken(P256.Signing.PrivateKey().pemRepresentation))
        let client = try ProviderClient(
            Provider("own"), configuration, region: nil, in: FakeApp.id,
            .init(
                vault: KeyVault(masterKey: [UInt8](repeating: 7, count: 32)), gateway: gateway,
                discovery: Discovery(environment: environment, gateway: gateway), random: .live)
        ).replacing(secrets, clientIds: ["game"])
        let login = CodeLogin(
            state: "s", nonce: "n", verifier: "v", redirectUri: "https://login.example.com/callback")
        return try await ClientTrial(client: client, login: login, moment: Moment(milliseconds: 0)).finding()
    }

    @Test("A private key that the provider refuses is told from a secret, and from one that it does not look at")
    func wrongKey() async throws {
        let refused = try await trial { form in
            let why =
                form.contains("client_id=game&") || form.hasSuffix("client_id=game") ? "bad assertion" : "no client"
            return #"{"error": "invalid_client", "error_description": "\#(why)"}"#
        }
        #expect(refused.code == "client.assertion-wrong" && refused.isWrong, "\(refused)")
        let unseen = try await trial { _ in #"{"error": "invalid_grant"}"# }
        #expect(unseen.code == "client.assertion-not-looked-at" && unseen.verdict == .unknown, "\(unseen)")
        // Nor is there a secret to speak of where the provider answers everything alike.
        for status in [400, 401] {
            let all = try await trial(status: status) { _ in #"{"error": "invalid_client"}"# }
            #expect(all.code == "client.assertion-refused" && all.isWrong, "\(all)")
            #expect(all.text.contains("private key") && !all.text.contains("secret"), "\(all)")
        }
    }

    @Test("The operator's choice stands before the discovery document's, and must have what it needs")
    func chosen() async throws {
        let app = try FakeApp()
        // The document does not list the method that the provider accepts.
        app.idps.setDiscovery(["token_endpoint_auth_methods_supported": ["client_secret_post"]])
        try await expectRevoked(app, app.configuration(of: .studio, ["clientAuthentication": "client_secret_post"]))
        let basic = try app.configuration(of: .studio, ["clientAuthentication": "client_secret_basic"])
        let failure = await #expect(throws: IdentityFailure.self) {
            try await app.logInAtPage(.studio, "bob", basic)
        }
        #expect(failure?.word == "provider_misconfigured")
        let key: [String: JSONValue] = ["clientAuthentication": "private_key_jwt"]
        #expect(throws: Refusal.self) { try app.configuration(of: .studio, key) }
        #expect(throws: Refusal.self) {
            try app.configuration(of: .studio, key, secrets: ["clientKey": ["privateKey": "no key"]])
        }
        #expect(throws: Refusal.self) {
            try app.configuration(of: .google, ["clientAuthentication": "client_secret_basic"])
        }
    }

    @Test("A public client says only which one it is")
    func publicClient() async throws {
        let app = try FakeApp()
        app.idps.setDiscovery(["token_endpoint_auth_methods_supported": ["none"]])
        try await expectRevoked(app, app.configuration(of: .studio, secrets: ["clientSecret": .null]))
    }

    @Test("WITHDRAW-1: a client that is refused where it revokes is for an operator to mend")
    func refusedClient() async throws {
        let app = try FakeApp()
        let tokens = try #require(try await app.logInAtPage(.studio).tokens)
        let wrong = try app.configuration(of: .studio, secrets: ["clientSecret": "a wrong one"])
        let failure = await #expect(throws: IdentityFailure.self) {
            try await TokenRevocation(client: app.client(for: .studio, wrong)).revoke(tokens, at: app.now)
        }
        #expect(failure?.word == "provider_misconfigured")
        #expect(failure?.words.contains("client id, secret") == true)
        #expect(app.idps.revoked.isEmpty)
    }

    @Test("HTTP Basic carries id and secret form-encoded (RFC 6749 section 2.3.1)")
    func basic() throws {
        let parameters = try ClientAuthentication.secretInHeader("p%ss: wört").parameters(
            of: "a:b", at: Moment(milliseconds: 0))
        let pair = try #require(parameters.headers["Authorization"]?.dropFirst("Basic ".count))
        let decoded = try #require(Data(base64Encoded: String(pair)))
        #expect(String(decoding: decoded, as: UTF8.self) == "a%3Ab:p%25ss%3A%20w%C3%B6rt")
        #expect(parameters.form == ["client_id": "a:b"])
    }

    @Test(
        "A client assertion names client and token endpoint, lives for a minute and is signed as its key is (RFC 7523)")
    func assertions() throws {
        let elliptic = P256.Signing.PrivateKey()
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        var seen: Set<String> = []
        for pem in [elliptic.pemRepresentation, rsa.pemRepresentation] {
            let assertion = ClientAssertion(
                key: .init(keyId: "k1", privateKey: ProviderToken(pem)), audience: "https://id.example/token",
                random: .live)
            let parameters = try ClientAuthentication.assertion(assertion).parameters(
                of: "game", at: Moment(milliseconds: 1_000_000))
            #expect(
                parameters.form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            let token = try #require(SignedToken(parameters.form["client_assertion"] ?? "", maximumLength: 4_096))
            #expect(token.header["kid"]?.string == "k1")
            #expect(token.claims["iss"]?.string == "game")
            #expect(token.claims["sub"]?.string == "game")
            #expect(token.claims["aud"]?.string == "https://id.example/token")
            #expect(token.claims["iat"]?.integer == 1_000)
            #expect(token.claims["exp"]?.integer == 1_060)
            seen.insert(try #require(token.claims["jti"]?.string))
            switch token.header["alg"]?.string {
            case "ES256":
                let signature = try P256.Signing.ECDSASignature(rawRepresentation: token.signature)
                #expect(elliptic.publicKey.isValidSignature(signature, for: Data(token.signingInput)))
            case "RS256":
                let signature = _RSA.Signing.RSASignature(rawRepresentation: Data(token.signature))
                #expect(
                    rsa.publicKey.isValidSignature(
                        signature, for: Data(token.signingInput), padding: .insecurePKCS1v1_5))
            default: Issue.record("another algorithm")
            }
        }
        #expect(seen.count == 2)
        #expect(ClientSigningKey(pem: "nonsense") == nil)
    }
}
