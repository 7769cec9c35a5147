import Crypto
import CryptoExtras
import FakeProviders
import Foundation
import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseProviders
@testable import GatehouseServer

/// The server's authentication at an OpenID Connect provider: `studio` requires its clients to use the offered methods.
@Suite struct ClientAuthenticationTests {
    /// A login with a browser, then a withdrawal: returns the tokens that the provider was asked to revoke.
    private func revoked(_ world: World, _ name: String) async throws -> [String] {
        let device = TestDevice()
        let login = try await world.call(
            Endpoints.logIn, world.loginCode(.studio, name, by: device), by: device
        ).decoded(as: Login.self)
        let before = world.idps.revoked.count
        _ = try await world.call(Endpoints.withdraw, Empty(), by: Player(device: device, login: login))
        #expect(try await world.runJobs() == 1)
        #expect(try await world.run(ListJobs(state: .waiting)).isEmpty)
        return Array(world.idps.revoked.dropFirst(before))
    }

    private func configure(
        _ world: World, _ method: ClientAuthenticationMethod?, secrets: ProviderSecrets? = nil
    ) async throws {
        var configuration = try #require(try await world.run(ReadApp()).providers[.studio])
        configuration.openID?.clientAuthentication = method
        try await world.run(SetIdentityProvider(provider: .studio, configuration: configuration, secrets: secrets))
        // A change takes effect on nodes within a second, and discovery documents are renewed after ten minutes.
        world.clock.advance(seconds: 2)
    }

    @Test(
        "WITHDRAW-1: a client logs in and revokes by the method that the discovery document offers, or by OpenID Connect's default",
        arguments: [nil, "client_secret_basic", "client_secret_post", "private_key_jwt"])
    func discovered(method: String?) async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            if let method {
                world.idps.setDiscovery([
                    "token_endpoint_auth_methods_supported": ["client_secret_jwt", .string(method)]
                ])
            }
            if method == "private_key_jwt" {
                let key = ProviderSecrets.ClientKey(keyId: "k1", privateKey: ProviderToken(world.idps.clientKeyPEM))
                var secrets = ProviderSecrets()
                secrets.clientKey = key
                try await configure(world, nil, secrets: secrets)
            }
            #expect(try await revoked(world, "alice").count == 1)
            #expect(try await !world.dump().contains("PRIVATE KEY"))
        }
    }

    @Test("WITHDRAW-1: the revocation endpoint may offer another method than the token endpoint")
    func twoEndpoints() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            world.idps.setDiscovery([
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
                "revocation_endpoint_auth_methods_supported": ["client_secret_basic"],
            ])
            #expect(try await revoked(world, "alice").count == 1)
        }
    }

    @Test(
        "WITHDRAW-1: where a method is chosen that the revocation endpoint does not take, a secret beside the key revokes",
        arguments: [true, false])
    func chosenForOneEndpoint(hasSecret: Bool) async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            world.idps.setDiscovery([
                "token_endpoint_auth_methods_supported": ["private_key_jwt"],
                "revocation_endpoint_auth_methods_supported": ["client_secret_basic"],
            ])
            var secrets = ProviderSecrets()
            secrets.clientKey = .init(keyId: "k1", privateKey: ProviderToken(world.idps.clientKeyPEM))
            if hasSecret { secrets.clientSecret = ProviderToken(world.idps.clientSecret(of: .studio)) }
            try await configure(world, .privateKeyJWT, secrets: secrets)
            let findings = try await world.run(
                TestIdentityProvider(provider: .studio, publicURL: "http://127.0.0.1:8080"))
            let wrong = findings.first { $0.code == "revocation.method" }
            guard !hasSecret else {
                #expect(wrong == nil)
                #expect(try await revoked(world, "alice").count == 1)
                return
            }
            #expect(wrong?.isWrong == true && wrong?.text.contains("client_secret_basic only") == true, "\(findings)")
        }
    }

    /// What the test of the settings says of a client with a private key.
    ///
    /// - Parameter answer: the answer of the provider's token endpoint to a form.
    private func trial(_ answer: @escaping @Sendable (_ form: String) -> String) async throws -> ProviderFinding {
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
                return OutgoingResponse(status: 400, body: Data(answer(form).utf8))
            })
        let gateway = ProviderGateway(environment: environment)
        var configuration = ProviderConfiguration(kind: .openID, clientIds: ["game"])
        configuration.openID?.issuer = "https://id.example"
        var secrets = ProviderSecrets()
        secrets.clientKey = .init(privateKey: ProviderToken(P256.Signing.PrivateKey().pemRepresentation))
        let client = try ProviderClient(
            Provider("own"), configuration, region: nil, in: World.app,
            .init(
                vault: KeyVault(masterKey: World.vaultKey), gateway: gateway,
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
    }

    @Test("WITHDRAW-1, MAP-8: a removed mapping revokes with the client's secret, too")
    func removedMapping() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            _ = try await world.run(ChangeAccountPolicy { $0.consent = .removal })
            world.clock.advance(seconds: 2)
            let owner = try await world.logIn(.google, "alice")
            let credential = try await world.loginCode(.studio, "alice", by: owner.device)
            #expect(try await world.call(Endpoints.addMapping, credential, by: owner).status == 200)
            let removed = try await world.call(
                Endpoints.removeMapping, MappingRemoval(provider: .studio), by: owner)
            #expect(removed.status == 200, "\(removed.text)")
            _ = try await world.runJobs()
            #expect(world.idps.revoked.count == 1)
        }
    }

    @Test("The operator's choice stands before the discovery document's, and must have what it needs")
    func chosen() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            // The document does not list the method that the provider accepts.
            world.idps.setDiscovery(["token_endpoint_auth_methods_supported": ["client_secret_post"]])
            try await configure(world, .secretPost)
            #expect(try await revoked(world, "alice").count == 1)
            try await configure(world, .secretBasic)
            let back = try await world.atPage(.studio, "bob", by: TestDevice())
            #expect(try world.result(try await world.comeBack(back))["error"] == "provider_misconfigured")
            await #expect(throws: Refusal.self) { try await configure(world, .privateKeyJWT) }
            await #expect(throws: Refusal.self) {
                var secrets = ProviderSecrets()
                secrets.clientKey = .init(privateKey: "no key")
                try await configure(world, .privateKeyJWT, secrets: secrets)
            }
            let google: JSONValue = [
                "kind": "google", "clientIds": ["a"], "clientAuthentication": "client_secret_basic",
            ]
            await #expect(throws: Refusal.self) {
                try await world.run(SetIdentityProvider(provider: .google, settings: google))
            }
        }
    }

    @Test("A public client says only which one it is")
    func publicClient() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            world.idps.setDiscovery(["token_endpoint_auth_methods_supported": ["none"]])
            try await configure(world, nil, secrets: ProviderSecrets())
            #expect(try await revoked(world, "alice").count == 1)
        }
    }

    @Test("WITHDRAW-1: a client that is refused is for an operator to mend: the revocation waits")
    func refusedClient() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            let device = TestDevice()
            let login = try await world.call(
                Endpoints.logIn, world.loginCode(.studio, "alice", by: device), by: device
            ).decoded(as: Login.self)
            try await configure(world, nil, secrets: ProviderSecrets(clientSecret: "a wrong one"))
            _ = try await world.call(Endpoints.withdraw, Empty(), by: Player(device: device, login: login))
            #expect(try await world.runJobs() == 1)
            let waiting = try await world.run(ListJobs(state: .waiting))
            #expect(waiting.count == 1)
            #expect(waiting.first?.lastError?.contains("client id, secret") == true)
            let secret = ProviderToken(world.idps.clientSecret(of: .studio))
            try await configure(world, nil, secrets: ProviderSecrets(clientSecret: secret))
            world.clock.advance(seconds: 60)
            #expect(try await world.runJobs() == 1)
            #expect(world.idps.revoked.count == 1)
        }
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
