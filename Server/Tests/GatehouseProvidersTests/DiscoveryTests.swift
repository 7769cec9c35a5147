import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Synchronization
import Testing

/// The cache of an OpenID Connect provider's documents, and when they are fetched again.
@Suite struct DiscoveryTests {
    /// A provider whose responses and time a test controls.
    private final class Provider: Sendable {
        private let state = Mutex<(answer: OutgoingResponse, asked: Int, seconds: UInt64)>(
            (OutgoingResponse(status: 200, body: Data()), 0, 1_000))

        var asked: Int { state.withLock { $0.asked } }
        func advance(seconds: UInt64) { state.withLock { $0.seconds += seconds } }

        func answer(_ status: Int, _ body: String) {
            state.withLock { $0.answer = OutgoingResponse(status: status, body: Data(body.utf8)) }
        }

        func answer(issuer: String, keys: String = "https://id.example/keys") {
            answer(200, #"{"issuer":"\#(issuer)","jwks_uri":"\#(keys)"}"#)
        }

        var environment: ServerEnvironment {
            ServerEnvironment(
                now: { Moment(milliseconds: 0) },
                monotonicNanoseconds: { self.state.withLock { $0.seconds } * 1_000_000_000 }, random: .live,
                fetch: { _ in
                    self.state.withLock { state in
                        state.asked += 1
                        return state.answer
                    }
                })
        }
    }

    private static let share = ProviderGateway.Share(app: FakeApp.id, provider: .studio)
    private static let issuer = "https://id.example"

    private func discovery(_ provider: Provider) -> Discovery {
        let environment = provider.environment
        return Discovery(environment: environment, gateway: ProviderGateway(environment: environment))
    }

    @Test("IDP-6: a document of another issuer is never kept: the right one counts as soon as it is there")
    func neverKept() async throws {
        let provider = Provider()
        let discovery = discovery(provider)
        provider.answer(issuer: "https://evil.example")
        await #expect(throws: IdentityFailure.misconfigured("the discovery document is another issuer's")) {
            _ = try await discovery.document(of: Self.issuer, at: nil, of: Self.share)
        }
        provider.answer(issuer: Self.issuer)
        provider.advance(seconds: 2)
        #expect(try await discovery.document(of: Self.issuer, at: nil, of: Self.share).issuer == Self.issuer)
        #expect(provider.asked == 2)
    }

    @Test(
        "IDP-5, IDP-6: a document that is of no use does not replace the last good one, which stays for its day",
        arguments: [
            (200, #"{"issuer":"https://evil.example","jwks_uri":"https://evil.example/keys"}"#),
            (200, "<!doctype html>"), (200, "{}"), (404, "{}"),
        ])
    func lastGoodOne(status: Int, body: String) async throws {
        let provider = Provider()
        let discovery = discovery(provider)
        provider.answer(issuer: Self.issuer)
        _ = try await discovery.document(of: Self.issuer, at: nil, of: Self.share)
        provider.answer(status, body)
        for _ in 0..<20 {
            // After more than ten minutes each call starts a renewal in the background, and uses the known document.
            provider.advance(seconds: 3_600)
            let before = provider.asked
            let document = try await discovery.document(of: Self.issuer, at: nil, of: Self.share)
            #expect(document.keysURL == "https://id.example/keys")
            for _ in 0..<10_000 where provider.asked == before { await Task.yield() }
        }
        #expect(provider.asked > 10)
        provider.advance(seconds: 86_400)
        await #expect(throws: IdentityFailure.self) {
            _ = try await discovery.document(of: Self.issuer, at: nil, of: Self.share)
        }
        provider.answer(issuer: Self.issuer, keys: "https://id.example/new")
        provider.advance(seconds: 61)
        let document = try await discovery.document(of: Self.issuer, at: nil, of: Self.share)
        #expect(document.keysURL == "https://id.example/new")
    }

    private static func document(_ members: [String: String]) -> String {
        var all = [
            "issuer": "\"\(issuer)\"", "jwks_uri": #""https://id.example/keys""#,
            "authorization_endpoint": #""https://id.example/authorize""#,
            "token_endpoint": #""https://id.example/token""#,
            "id_token_signing_alg_values_supported": #"["ES256"]"#,
            "token_endpoint_auth_methods_supported": #"["client_secret_basic"]"#,
        ]
        for (name, value) in members { all[name] = value.isEmpty ? nil : value }
        return "{" + all.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    private static let worse = [
        ["id_token_signing_alg_values_supported": #"["none","HS256"]"#],
        ["authorization_endpoint": ""], ["token_endpoint": ""],
        ["token_endpoint_auth_methods_supported": #"["tls_client_auth"]"#],
        ["token_endpoint_auth_methods_supported": #"["private_key_jwt"]"#],
    ]

    @Test("IDP-6: a document that no longer serves the client does not replace one that does", arguments: worse)
    func replaced(change: [String: String]) async throws {
        let provider = Provider()
        let discovery = discovery(provider)
        let client = Discovery.Client(methods: [.secretBasic, .secretPost])
        func document() async throws -> Discovery.Document {
            try await discovery.document(of: Self.issuer, at: nil, of: Self.share, for: client)
        }
        let all: Discovery.Need = [.algorithm, .page, .authentication]
        provider.answer(200, Self.document([:]))
        #expect(client.needs(servedBy: try await document()) == all)
        provider.answer(200, Self.document(change))
        for _ in 0..<10 {
            provider.advance(seconds: 3_600)
            let before = provider.asked
            #expect(client.needs(servedBy: try await document()) == all)
            for _ in 0..<10_000 where provider.asked == before { await Task.yield() }
        }
        #expect(provider.asked > 5)
        // After a day nobody knows whether the last good one still holds.
        provider.advance(seconds: 86_400)
        #expect(client.needs(servedBy: try await document()) != all)
    }

    @Test(
        "IDP-4: a first document that does not do is fetched again at once, a bounded number of times", arguments: worse
    )
    func mended(change: [String: String]) async throws {
        let provider = Provider()
        let discovery = discovery(provider)
        let client = Discovery.Client(methods: [.secretBasic])
        let all: Discovery.Need = [.algorithm, .page, .authentication]
        func needs() async throws -> Discovery.Need {
            client.needs(
                servedBy: try await discovery.document(
                    of: Self.issuer, at: nil, of: Self.share, for: client, needing: all))
        }
        provider.answer(200, Self.document(change))
        for _ in 0..<50 { #expect(try await needs() != all) }
        #expect(provider.asked <= 4)
        provider.answer(200, Self.document([:]))
        provider.advance(seconds: 21)
        #expect(try await needs() == all)
    }

    @Test("What is fetched by whoever trusts another authority is theirs alone")
    func authorities() async throws {
        let provider = Provider()
        let discovery = discovery(provider)
        provider.answer(issuer: Self.issuer, keys: "https://id.example/one")
        var trusting = Self.share
        trusting.trustedCertificates = ["an authority"]
        #expect(try await discovery.document(of: Self.issuer, at: nil, of: trusting).keysURL.hasSuffix("/one"))
        provider.answer(issuer: Self.issuer, keys: "https://id.example/two")
        #expect(try await discovery.document(of: Self.issuer, at: nil, of: Self.share).keysURL.hasSuffix("/two"))
        #expect(try await discovery.document(of: Self.issuer, at: nil, of: trusting).keysURL.hasSuffix("/one"))
    }

    @Test("IDP-4: what is missing has keys fetched at once, a bounded number of times, and apart from renewals")
    func allowance() {
        var allowance = FetchAllowance()
        /// The number of permitted fetches out of ten at that second.
        func taken(at second: UInt64) -> Int {
            (0..<10).reduce(0) { count, _ in count + (allowance.take(at: second * 1_000_000_000) ? 1 : 0) }
        }
        #expect([100, 119, 120, 120, 1_000, 1_019, 1_041].map { taken(at: $0) } == [3, 0, 1, 0, 3, 0, 2])
    }

    @Test("IDP-4: a key that is rotated right after a fetch is found by the first login with it, and the old one ends")
    func rotatedAtOnce() async throws {
        let app = try FakeApp()
        for provider in [GatehouseWire.Provider.google, .studio] {
            let old = try app.idToken(provider)
            #expect(await app.code(old) == nil)
            // Twice within a minute after the previous fetch.
            for second in 1...2 as ClosedRange<Int64> {
                app.clock.advance(seconds: second)
                try app.idps.rotateKey(of: provider)
                #expect(try await app.code(app.idToken(provider)) == nil)
            }
            #expect(await app.code(old) == 3201)
            // However many unknown keys come, the provider is asked a few times a minute. Until then nobody knows whether it has them.
            let before = app.idps.requests(to: provider)
            for number in 0..<50 {
                let token = try app.idToken(provider, header: ["kid": .string("unknown-\(number)")])
                #expect(await app.failure(token) == .busy)
            }
            #expect(app.idps.requests(to: provider) == before)
            // So a right token with a new key is put off, and not refused as a bad one.
            app.clock.advance(seconds: 1)
            try app.idps.rotateKey(of: provider)
            let new = try app.idToken(provider)
            #expect(await app.failure(new) == .busy)
            app.clock.advance(seconds: 20)
            #expect(await app.code(new) == nil)
            let token = try app.idToken(provider, header: ["kid": "unknown"])
            app.clock.advance(seconds: 20)
            #expect(await app.code(token) == 3201)
        }
    }

    @Test("IDP-4: while a provider fails, a token with a key that is not known is put off, and known keys serve")
    func failingKeys() async throws {
        let app = try FakeApp()
        let known = try app.idToken(.google)
        #expect(await app.code(known) == nil)
        try app.idps.rotateKey(of: .google)
        let new = try app.idToken(.google)
        app.idps.setDown(.google, true)
        #expect(await app.failure(new) == .unavailable)
        #expect(await app.code(known) == nil)
        app.idps.setDown(.google, false)
        #expect(await app.code(new) == nil)
    }

    @Test("IDP-6: a discovery document of another issuer, by one letter, lets nobody in")
    func anotherIssuer() async throws {
        let app = try FakeApp()
        #expect(try await app.code(app.idToken(.studio)) == nil)
        let other = try app.configuration(of: .studio, ["issuer": "https://id.studio.example/"])
        let failure = IdentityFailure.misconfigured("the discovery document is another issuer's")
        #expect(try await app.failure(app.idToken(.studio), other) == failure)
        #expect(try await app.code(app.idToken(.studio), other) == 3202)
        await #expect(throws: failure) { try await app.page(.studio, [:], other) }
        #expect(
            try await app.findings(.studio, other).contains { !$0.isFine && $0.text.contains("another issuer") })
    }

    @Test(
        "IDP-6: a discovery document that sends anybody elsewhere than to https is none",
        arguments: ["authorization_endpoint", "token_endpoint", "revocation_endpoint", "jwks_uri"])
    func places(member: String) throws {
        var document: [String: String] = [
            "issuer": "https://one.example.com", "jwks_uri": "https://one.example.com/keys",
            "authorization_endpoint": "https://one.example.com/login",
            "token_endpoint": "https://one.example.com/token",
            "revocation_endpoint": "https://one.example.com/revoke",
        ]
        #expect(Discovery.read(try JSONEncoder().encode(document)) != nil)
        for place in [
            "file:///etc/passwd", "javascript:alert(1)", "http://one.example.com/", "https://user@one.example.com/", "",
        ] {
            document[member] = place
            #expect(Discovery.read(try JSONEncoder().encode(document)) == nil, "\(place)")
        }
    }
}
