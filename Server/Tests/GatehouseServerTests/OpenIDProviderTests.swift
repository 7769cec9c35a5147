import FakeProviders
import Foundation
import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import HummingbirdTesting
import Logging
import NIOCore
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// Any OpenID Connect provider, represented by `studio`: the differences between providers.
@Suite struct OpenIDProviderTests {
    private func logIn(
        _ world: World, _ provider: Provider = .studio, claims: [String: JSONValue?] = [:],
        header: [String: JSONValue?] = [:]
    ) async throws -> TestAnswer {
        let token = try world.idps.idToken(provider, for: "alice", claims: claims, header: header)
        return try await world.call(
            Endpoints.logIn, Credential(provider: provider, idToken: token), by: TestDevice())
    }

    @Test("IDP-1: what signs ID tokens is what the discovery document names, as far as it is known here")
    func algorithms() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            let rsa = try world.idps.idToken(.studio, for: "alice", signedBy: FakeSigningKey(id: "rsa"))
            world.idps.setKeys([.p256(id: "es")], of: .studio)
            world.idps.setDiscovery(["id_token_signing_alg_values_supported": ["ES512", "ES256", "EdDSA"]])
            #expect(try await logIn(world).status == 200)
            #expect(
                try await world.run(TestIdentityProvider(provider: .studio, publicURL: "http://127.0.0.1:8080"))
                    .allSatisfy { !$0.isWrong })
            let answer = try await world.call(
                Endpoints.logIn, Credential(provider: .studio, idToken: rsa), by: TestDevice())
            #expect(answer.code == 3201)
            #expect(try await logIn(world, header: ["alg": "none"]).code == 3201)
        }
        try await World.open(on: .sqlite) { (world) async throws in
            // The document names no supported algorithm, and the keys are of another kind than it names.
            world.idps.setDiscovery(["id_token_signing_alg_values_supported": ["PS256"]])
            #expect(try await logIn(world).reason == "provider_misconfigured")
            let findings = try await world.run(
                TestIdentityProvider(provider: .studio, publicURL: "http://127.0.0.1:8080"))
            #expect(findings.contains { !$0.isFine && $0.text.contains("PS256") })
        }
        try await World.open(on: .sqlite) { (world) async throws in
            world.idps.setKeys([.p256(id: "es")], of: .studio)
            #expect(try await logIn(world).code == 3201)
            let findings = try await world.run(
                TestIdentityProvider(provider: .studio, publicURL: "http://127.0.0.1:8080"))
            #expect(findings.contains { !$0.isFine && $0.text.contains("sign with ES256, and logins accept RS256") })
            // If the operator has set it, the document is not used.
            var configuration = try #require(try await world.run(ReadApp()).providers[.studio])
            configuration.openID?.algorithms = ["ES256"]
            try await world.run(SetIdentityProvider(provider: .studio, configuration: configuration))
            world.clock.advance(seconds: 2)
            #expect(try await logIn(world).status == 200)
        }
    }

    @Test(
        "IDP-1: ID tokens signed with Ed25519 are taken by either name of the algorithm, and idp test counts their keys"
    )
    func ed25519() async throws {
        for name in ["EdDSA", "Ed25519"] {
            try await World.open(on: .sqlite) { (world) async throws in
                world.idps.setKeys([.ed25519(id: "ed"), try FakeSigningKey(id: "rsa")], of: .studio)
                world.idps.setDiscovery(["id_token_signing_alg_values_supported": [.string(name), "RS256", "none"]])
                let findings = try await world.run(
                    TestIdentityProvider(provider: .studio, publicURL: "http://127.0.0.1:8080"))
                #expect(findings.contains { $0.isFine && $0.text.contains("2 for RS256 and EdDSA") }, "\(findings)")
                let first = try await logIn(world)
                #expect(first.status == 200)
                #expect(try await logIn(world, header: ["alg": "Ed25519"]).status == 200)
                #expect(try await logIn(world, header: ["kid": nil]).status == 200)
                // The key decides: no header makes it one of another algorithm, and no other key signs for it.
                for algorithm in ["RS256", "ES256", "HS256", "none", "Ed448", "eddsa", ""] {
                    let answer = try await logIn(world, header: ["alg": .string(algorithm)])
                    #expect(answer.code == 3201, "\(algorithm)")
                }
                let others = [FakeSigningKey.ed25519(id: "ed"), .p256(id: "ed"), try FakeSigningKey(id: "ed")]
                for key in others {
                    let token = try world.idps.idToken(.studio, for: "alice", header: ["alg": "EdDSA"], signedBy: key)
                    let credential = Credential(provider: .studio, idToken: token)
                    #expect(try await world.call(Endpoints.logIn, credential, by: TestDevice()).code == 3201)
                }
                let rsa = try world.idps.idToken(.studio, for: "alice", header: ["kid": "ed"], signedBy: others[2])
                let credential = Credential(provider: .studio, idToken: rsa)
                #expect(try await world.call(Endpoints.logIn, credential, by: TestDevice()).code == 3201)
            }
        }
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

    @Test("An algorithm that is not known is named in the log and by idp test, as what it is")
    func unknownAlgorithm() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            world.idps.setDiscovery(["id_token_signing_alg_values_supported": ["RS256", "ES512", "none"]])
            let findings = try await world.run(
                TestIdentityProvider(provider: .studio, publicURL: "http://127.0.0.1:8080"))
            #expect(
                findings.contains { $0.code == "keys.others" && $0.text.contains("ES512") && !$0.text.contains("none") }
            )
            #expect(
                try await logIn(world, header: ["alg": "ES512"]).text.contains(
                    "it is signed with ES512, and only RS256"))
            #expect(
                try await logIn(world, header: ["alg": "ES256"]).text.contains("its algorithm is not the provider's"))
        }
    }

    @Test("The algorithm of a published key that is not known is named by idp test, beside keys that are known")
    func unknownKey() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            var other = FakeSigningKey.p256(id: "other")
            other.publishedAlgorithm = "ES512"
            world.idps.setKeys([World.providerKey, other], of: .studio)
            let findings = try await world.run(
                TestIdentityProvider(provider: .studio, publicURL: "http://127.0.0.1:8080"))
            #expect(findings.contains { $0.code == "keys.others" && $0.text.contains("ES512") }, "\(findings)")
            #expect(findings.allSatisfy { !$0.isWrong })
        }
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

    @Test("IDP-9: a token that says that it is another than an ID token is refused, with or without a nonce")
    func kinds() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            for provider in [Provider.google, .studio] {
                for type in ["logout+jwt", "at+jwt", "AT+JWT", "application/at+jwt", "secevent+jwt", ""] {
                    #expect(try await logIn(world, provider, header: ["typ": .string(type)]).code == 3201, "\(type)")
                }
                #expect(try await logIn(world, provider, header: ["typ": 1]).code == 3201)
                let events: JSONValue = ["http://schemas.openid.net/event/backchannel-logout": [:]]
                #expect(try await logIn(world, provider, claims: ["events": events]).code == 3201)
                #expect(try await logIn(world, provider, header: ["typ": nil]).status == 200)
                #expect(try await logIn(world, provider, header: ["typ": "jwt"]).status == 200)
            }
        }
    }

    @Test("IDP-5: tokens and keys without an id are accepted where one key fits, and found anew after a rotation")
    func withoutIDs() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            // The token has no key id.
            #expect(try await logIn(world, header: ["kid": nil]).status == 200)
            #expect(try await logIn(world, header: ["kid": 1]).code == 3201)
            #expect(try await logIn(world, header: ["kid": ""]).code == 3201)
            try world.idps.rotateKey(of: .studio)
            #expect(try await logIn(world, header: ["kid": nil]).status == 200)
            // Google's tokens always have a key id.
            #expect(try await logIn(world, .google, header: ["kid": nil]).code == 3201)
        }
        try await World.open(on: .sqlite) { (world) async throws in
            // The key set has no key id.
            var key = FakeSigningKey.p256(id: "hidden")
            key.publishesID = false
            world.idps.setKeys([key, try FakeSigningKey(id: "rsa")], of: .studio)
            world.idps.setDiscovery(["id_token_signing_alg_values_supported": ["ES256", "RS256"]])
            #expect(try await logIn(world).status == 200)
            #expect(try await logIn(world, header: ["kid": nil]).status == 200)
        }
        try await World.open(on: .sqlite) { (world) async throws in
            // Two keys fit, so the token must have a key id.
            var key = FakeSigningKey.p256(id: "a")
            key.publishesID = false
            world.idps.setKeys([key, .p256(id: "b")], of: .studio)
            world.idps.setDiscovery(["id_token_signing_alg_values_supported": ["ES256"]])
            #expect(try await logIn(world).code == 3201)
            #expect(try await logIn(world, header: ["kid": nil]).code == 3201)
        }
    }

    @Test("IDP-1, IDP-3: fractions of seconds are read, and a subject of blanks is nobody's")
    func claims() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            let now = Double(world.clock.now.milliseconds / 1_000)
            let times: [String: JSONValue?] = [
                "exp": .number(now + 3_600.5), "iat": .number(now - 0.5), "nbf": .number(now - 0.25),
            ]
            #expect(try await logIn(world, claims: times).status == 200)
            for wrong in [Double.greatestFiniteMagnitude, -1.5, now - 61.5] {
                #expect(try await logIn(world, claims: ["exp": .number(wrong)]).code == 3201)
            }
            for blank in [" ", "   ", "\u{a0}", "\u{2003}\u{3000}"] {
                #expect(try await logIn(world, claims: ["sub": .string(blank)]).code == 3201)
            }
            #expect(try await logIn(world, claims: ["sub": " alice "]).status == 200)
        }
    }

    @Test("A provider's own trouble is no word about the player: 8002, and nothing is counted")
    func serverError() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            var back = try await world.atPage(.studio, "alice", by: TestDevice())
            back.parameters["code"] = nil
            back.parameters["error"] = "server_error"
            #expect(try world.result(try await world.comeBack(back))["error"] == "provider_unavailable")
            let second = try await world.atPage(.studio, "alice", by: TestDevice())
            world.idps.set(.serverError, for: .studio)
            #expect(try world.result(try await world.comeBack(second))["error"] == "provider_unavailable")
            #expect(world.audit.text.contains("be asked"))
        }
    }

    @Test("The server's log says why a provider can't be asked, which the player is not told")
    func log() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            let journal = LogJournal()
            let server = try await GatehouseServer(
                configuration: World.configuration(), database: world.database,
                vault: KeyVault(masterKey: World.vaultKey), environment: world.clock.environment(world.idps),
                audit: world.audit.log, logger: Logger(label: "test") { _ in journal.handler })
            world.idps.set(.down, for: .studio)
            let device = TestDevice()
            let path = TestCall.path(Endpoints.logIn.template)
            let credential = try world.idps.credential(.studio, for: "alice")
            let body = try JSONEncoder().encode(credential)
            let proof = try device.proof("POST", path, token: nil, at: world.clock.now)
            try await server.application.test(.router) { client in
                var headers = HTTPFields()
                headers[.contentType] = "application/json"
                if let name = HTTPField.Name(HeaderNames.proof) { headers[name] = proof }
                let answer = try await client.executeRequest(
                    uri: path, method: .post, headers: headers, body: ByteBuffer(bytes: body))
                #expect(answer.status.code == 502)
                #expect(!String(buffer: answer.body).contains("503"))
            }
            let line = try #require(journal.lines.first { $0.contains("can't be asked") })
            for part in ["127.0.0.1", "studio", "game", "503"] { #expect(line.contains(part), "\(line)") }
            #expect(!line.contains(credential.idToken?.secretValue ?? "none"))
        }
    }

    @Test("`idp test` goes the way of a login: the page, the callback, the client, the keys")
    func test() async throws {
        try await World.open(on: .sqlite) { (world) async throws in
            func findings(_ url: String = World.origin) async throws -> [ProviderFinding] {
                try await world.run(TestIdentityProvider(provider: .studio, publicURL: url))
            }
            let fine = try await findings()
            #expect(fine.allSatisfy { $0.isFine })
            let callback = World.origin + Endpoints.path(Endpoints.callback, of: .studio, app: World.app)
            #expect(fine.contains { $0.text.contains(callback) })
            world.idps.setCallbacks([callback], of: .studio)
            #expect(try await findings().allSatisfy { $0.isFine })
            let elsewhere = try await findings("https://other.example.com")
            #expect(elsewhere.contains { !$0.isFine && $0.text.contains("https://other.example.com/v1/apps/game") })
            world.idps.set(.down, for: .studio)
            #expect(
                try await findings().contains {
                    !$0.isFine && $0.text.contains("id.studio.example") || $0.text.contains("503")
                })
        }
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
