import Crypto
import FakeProviders
import Foundation
import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Testing

/// Any OpenID Connect provider, represented by `studio`: the differences between providers.
@Suite struct OpenIDProviderTests {
    @Test("IDP-1: what signs ID tokens is what the discovery document names, as far as it is known here")
    func algorithms() async throws {
        let app = try FakeApp()
        app.idps.setKeys([.p256(id: "es")], of: .studio)
        app.idps.setDiscovery(["id_token_signing_alg_values_supported": ["ES512", "ES256", "EdDSA"]])
        #expect(try await app.code(app.idToken(.studio)) == nil)
        #expect(try await app.findings(.studio).allSatisfy { !$0.isWrong })
        let rsa = try app.idToken(.studio, signedBy: FakeSigningKey(id: "rsa"))
        #expect(await app.code(rsa) == 3201)
        #expect(try await app.code(app.idToken(.studio, header: ["alg": "none"])) == 3201)
    }

    @Test("IDP-1: a document that names no known algorithm, or keys of another than it names, let nobody in")
    func otherAlgorithms() async throws {
        let unknown = try FakeApp()
        unknown.idps.setDiscovery(["id_token_signing_alg_values_supported": ["PS256"]])
        let failure = try await unknown.failure(unknown.idToken(.studio))
        #expect(failure?.word == "provider_misconfigured" && failure?.words.contains("PS256") == true)
        #expect(unknown.journal.text.contains("PS256"))
        #expect(try await unknown.findings(.studio).contains { !$0.isFine && $0.text.contains("PS256") })

        let app = try FakeApp()
        app.idps.setKeys([.p256(id: "es")], of: .studio)
        #expect(try await app.code(app.idToken(.studio)) == 3201)
        #expect(
            try await app.findings(.studio).contains {
                !$0.isFine && $0.text.contains("sign with ES256, and logins accept RS256")
            })
        // If the operator has set it, the document is not used.
        let configuration = try app.configuration(of: .studio, ["algorithms": ["ES256"]])
        #expect(try await app.code(app.idToken(.studio), configuration) == nil)
    }

    @Test(
        "IDP-1: ID tokens signed with Ed25519 are taken by either name of the algorithm, and a test counts their keys",
        arguments: ["EdDSA", "Ed25519"])
    func ed25519(name: String) async throws {
        let app = try FakeApp()
        app.idps.setKeys([.ed25519(id: "ed"), try FakeSigningKey(id: "rsa")], of: .studio)
        app.idps.setDiscovery(["id_token_signing_alg_values_supported": [.string(name), "RS256", "none"]])
        let findings = try await app.findings(.studio)
        #expect(findings.contains { $0.isFine && $0.text.contains("2 for RS256 and EdDSA") }, "\(findings)")
        #expect(try await app.code(app.idToken(.studio)) == nil)
        #expect(try await app.code(app.idToken(.studio, header: ["alg": "Ed25519"])) == nil)
        #expect(try await app.code(app.idToken(.studio, header: ["kid": nil])) == nil)
        // The key decides: no header makes it one of another algorithm, and no other key signs for it.
        for algorithm in ["RS256", "ES256", "HS256", "none", "Ed448", "eddsa", ""] {
            let token = try app.idToken(.studio, header: ["alg": .string(algorithm)])
            #expect(await app.code(token) == 3201, "\(algorithm)")
        }
        let others = [FakeSigningKey.ed25519(id: "ed"), .p256(id: "ed"), try FakeSigningKey(id: "ed")]
        for key in others {
            #expect(try await app.code(app.idToken(.studio, header: ["alg": "EdDSA"], signedBy: key)) == 3201)
        }
        #expect(try await app.code(app.idToken(.studio, header: ["kid": "ed"], signedBy: others[2])) == 3201)
    }

    @Test(
        "IDP-5: a key of another curve, size or use is no key for Ed25519",
        arguments: [
            ["crv": "X25519"], ["crv": "Ed448"], ["alg": "RS256"], ["alg": "Ed448"], ["use": "enc"], ["x": "AAAA"],
            ["kty": "EC"],
            ["kty": "RSA"],
        ] as [[String: String]])
    func oddKeys(change: [String: String]) throws {
        let good = [
            "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA",
            "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ]
        func key(_ members: [String: String]) throws -> ProviderKey? {
            ProviderKey(try StrictJSON.parse(JSONEncoder().encode(members)))
        }
        #expect(try key(good)?.algorithm == "EdDSA")
        #expect(try key(good.merging(["alg": "Ed25519"]) { $1 })?.algorithm == "EdDSA")
        #expect(try key(good.merging(change) { $1 }) == nil)
    }

    @Test("IDP-5: a P-256 key whose coordinates lack their leading zeros is the same key")
    func shortCoordinates() throws {
        func key(_ x: some Collection<UInt8>, _ y: some Collection<UInt8>) throws -> ProviderKey? {
            let members = [
                "kty": "EC", "crv": "P-256", "x": Base64URL.encode(Array(x)), "y": Base64URL.encode(Array(y)),
            ]
            return ProviderKey(try StrictJSON.parse(JSONEncoder().encode(members)))
        }
        // One key in 256 has such an x.
        let signer = try #require(
            (0..<100_000).lazy.map { _ in P256.Signing.PrivateKey() }
                .first { $0.publicKey.rawRepresentation.first == 0 })
        let point = Array(signer.publicKey.rawRepresentation)
        guard case .es256(let short) = try key(point[..<32].drop { $0 == 0 }, point[32...]) else {
            Issue.record("no key")
            return
        }
        #expect(short.rawRepresentation == signer.publicKey.rawRepresentation)
        #expect(try key([0] + point[..<32], point[32...]) == nil)
        #expect(try key([], point[32...]) == nil)
    }

    @Test("An algorithm that is not known is named to the player and by a test of the settings, as what it is")
    func unknownAlgorithm() async throws {
        let app = try FakeApp()
        app.idps.setDiscovery(["id_token_signing_alg_values_supported": ["RS256", "ES512", "none"]])
        let findings = try await app.findings(.studio)
        #expect(
            findings.contains { $0.code == "keys.others" && $0.text.contains("ES512") && !$0.text.contains("none") })
        for (algorithm, words) in [
            ("ES512", "it is signed with ES512, and only RS256"), ("ES256", "its algorithm is not the provider's"),
        ] {
            let failure = try await app.failure(app.idToken(.studio, header: ["alg": .string(algorithm)]))
            #expect(failure?.words.contains(words) == true)
        }
    }

    @Test("The algorithm of a published key that is not known is named by a test, beside keys that are known")
    func unknownKey() async throws {
        let app = try FakeApp()
        var other = FakeSigningKey.p256(id: "other")
        other.publishedAlgorithm = "ES512"
        app.idps.setKeys([FakeApp.key, other], of: .studio)
        let findings = try await app.findings(.studio)
        #expect(findings.contains { $0.code == "keys.others" && $0.text.contains("ES512") }, "\(findings)")
        #expect(findings.allSatisfy { !$0.isWrong })
        let keys = """
            {"keys": [
                {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
                {"kty": "EC", "crv": "P-384"}, {"kty": "OKP", "crv": "Ed448", "alg": "EdDSA", "use": "sig"},
                {"kty": "RSA", "alg": "PS256"}, {"kty": "RSA", "alg": "RSA-OAEP-256"}, {"kty": "RSA", "alg": "RS256"},
                {"kty": "EC", "crv": "P-521", "use": "enc"}, {"kty": "EC", "crv": "P-384", "alg": "ECDH-ES"}, {}
            ]}
            """
        #expect(ProviderKeySet(Data(keys.utf8))?.otherAlgorithms == ["ES384", "Ed448", "PS256"])
    }

    @Test("IDP-5: tokens without a key's id are accepted where one key fits, and found anew after a rotation")
    func withoutIDs() async throws {
        let app = try FakeApp()
        #expect(try await app.code(app.idToken(.studio, header: ["kid": nil])) == nil)
        #expect(try await app.code(app.idToken(.studio, header: ["kid": 1])) == 3201)
        #expect(try await app.code(app.idToken(.studio, header: ["kid": ""])) == 3201)
        try app.idps.rotateKey(of: .studio)
        #expect(try await app.code(app.idToken(.studio, header: ["kid": nil])) == nil)
        // Google's tokens always have a key id.
        #expect(try await app.code(app.idToken(.google, header: ["kid": nil])) == 3201)
    }

    @Test("IDP-5: a key without an id serves while it alone fits, and of two that fit the token must name one")
    func keysWithoutIDs() async throws {
        var key = FakeSigningKey.p256(id: "hidden")
        key.publishesID = false
        let cases: [(FakeSigningKey, Int?)] = [(try FakeSigningKey(id: "rsa"), nil), (.p256(id: "b"), 3201)]
        for (other, code) in cases {
            let app = try FakeApp()
            app.idps.setKeys([key, other], of: .studio)
            app.idps.setDiscovery(["id_token_signing_alg_values_supported": ["ES256", "RS256"]])
            #expect(try await app.code(app.idToken(.studio)) == code)
            #expect(try await app.code(app.idToken(.studio, header: ["kid": nil])) == code)
        }
    }

    @Test("A provider's own trouble where a code is exchanged is no word about the player")
    func serverError() async throws {
        let app = try FakeApp()
        await #expect(throws: IdentityFailure.unavailable) {
            try await app.logInAtPage(.studio) { app.idps.set(.serverError, for: .studio) }
        }
        #expect(app.journal.text.contains("it answers 400"))
    }

    @Test("A test of the settings goes the way of a login: the page, the callback, the client, the keys")
    func test() async throws {
        let app = try FakeApp()
        let fine = try await app.findings(.studio)
        #expect(fine.allSatisfy { $0.isFine })
        #expect(fine.contains { $0.text.contains(FakeApp.callback) })
        app.idps.setCallbacks([FakeApp.callback], of: .studio)
        #expect(try await app.findings(.studio).allSatisfy { $0.isFine })
        let elsewhere = try await app.findings(.studio, callback: "https://other.example.com/callback")
        #expect(elsewhere.contains { !$0.isFine && $0.text.contains("https://other.example.com/callback") })
        app.idps.set(.down, for: .studio)
        #expect(try await app.findings(.studio).contains { !$0.isFine && $0.text.contains("503") })
    }

    @Test("docs/providers.md has the name of every setting that a file may hold")
    func names() throws {
        var openID = ProviderConfiguration(kind: .openID, clientIds: [])
        openID.namespace = ""
        openID.regions = [:]
        openID.scopes = []
        openID.callbackURL = ""
        openID.acceptsUnboundTokens = true
        openID.origin = ""
        openID.additionalInfo = [:]
        openID.keepsProfile = true
        openID.openID?.issuer = ""
        openID.openID?.keysURL = ""
        openID.openID?.algorithms = []
        openID.openID?.clientAuthentication = .publicClient
        openID.openID?.revocationURL = ""
        openID.openID?.reauthentication = [:]
        openID.openID?.trustedCertificates = []
        var partner = ProviderConfiguration(kind: .partner, clientIds: [])
        partner.partner?.page = .init(authorizationURL: "", tokenURL: "")
        partner.partner?.clientAuthentication = .publicClient
        partner.partner?.reauthentication = [:]
        partner.partner?.trustedCertificates = []
        var gameCenter = ProviderConfiguration(kind: .gameCenter, clientIds: [])
        gameCenter.gameCenter?.playerIds = ""
        gameCenter.gameCenter?.acceptsSandbox = true
        gameCenter.gameCenter?.trustedCertificates = []
        // Iterates over every member, so that a new one is not forgotten here.
        let values: [Any] = [openID, openID.openID as Any, partner.partner as Any, gameCenter.gameCenter as Any]
        for value in values {
            let mirror = Mirror(reflecting: value)
            let members =
                mirror.displayStyle == .optional ? mirror.children.map { Mirror(reflecting: $0.value) } : [mirror]
            for member in members.flatMap(\.children) where member.label != "sealedSecrets" {
                #expect("\(member.value)" != "nil", "\(member.label ?? "")")
            }
        }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../docs")
        let page = try String(contentsOf: root.appendingPathComponent("providers.md"), encoding: .utf8)
        let names = try [openID, partner, gameCenter].flatMap { configuration in
            try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(configuration)).keys
        }
        #expect(Set(names).count == 23)
        for name in Set(names) where name != "isEnabled" { #expect(page.contains("| `\(name)`"), "\(name)") }
        for method in ClientAuthenticationMethod.allCases { #expect(page.contains("`\(method.rawValue)`")) }
    }
}
