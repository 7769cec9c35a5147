import Crypto
import Foundation
import Gatehouse
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The game servers of `Examples/servers`, in five languages, against a real server.
@Suite(.timeLimit(.minutes(10))) struct GameServerExampleTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private struct Player: Sendable {
        let sdk: GatehouseClient
        let user: UserID
        let token: AccessToken

        static func logIn(_ name: String, with provider: Provider = .guest, on server: LiveServer) async throws
            -> Player
        {
            let device = server.device(name)
            try await device.start()
            let user = try await device.logIn(with: provider).member.userId
            return Player(sdk: device, user: user, token: try await device.validAccessToken())
        }
    }

    /// Signs tokens like the server, with the keys from its database.
    private struct Issuer: Sendable {
        let server: LiveServer

        func keys() async throws -> SigningKeySet {
            let vault = try KeyVault(masterKey: LiveServer.masterKey)
            return try await server.database.read { tx in
                try KeyRules.keys(of: LiveServer.app, vault: vault, tokenLifetimeSeconds: 3_600, in: tx)
            }
        }

        func claims(of token: AccessToken) async throws -> AccessClaims {
            try AccessTokens.verify(
                AccessTokens.read(token), app: LiveServer.app, keys: await keys(), isOurs: true,
                at: ServerEnvironment.live.now())
        }

        /// A token with these claims, issued this many seconds from now.
        func token(
            _ claims: AccessClaims, app: AppID = LiveServer.app, seconds: Int64 = 0, key: SigningKey? = nil
        ) async throws -> AccessToken {
            let now = ServerEnvironment.live.now()
            let signing = try await keys().signing(at: now)
            let issued = now.adding(seconds: seconds)
            return try AccessTokens.sign(
                AccessClaims(
                    app: app, user: claims.user, session: claims.session, provider: claims.provider, key: claims.key,
                    issuedAt: issued, expiresAt: issued.adding(seconds: 3_600), generation: claims.generation),
                with: key ?? signing.unwrapped())
        }
    }

    private static func key(_ id: String) -> SigningKey {
        SigningKey(
            id: id, privateKey: P256.Signing.PrivateKey(), createdAt: Moment(milliseconds: 0),
            activeAt: Moment(milliseconds: 0))
    }

    @Test(
        "INFO-3: a game server accepts good tokens and no others, and learns of bans, logouts, removed mappings and kick-outs",
        arguments: ExampleGameServer.Language.available, Engine.ofDoors)
    func tokens(language: ExampleGameServer.Language, engine: Engine) async throws {
        try await withFolder { folder in
            try await LiveServer.run(on: engine) { server in
                let issuer = Issuer(server: server)
                let example = try await ExampleGameServer.start(language, for: server, in: folder)
                let alice = try await Player.logIn("alice", on: server)
                let bob = try await Player.logIn("bob", on: server)
                let carol = try await Player.logIn("carol", on: server)
                let dave = try await Player.logIn("dave", with: .google, on: server)
                _ = try await dave.sdk.addMapping(.facebook)
                let byFacebook = try await Player.logIn("dave", with: .facebook, on: server)
                #expect(byFacebook.user == dave.user)
                // The token is a minute old, because revocations count in whole seconds.
                let daves = try await issuer.token(issuer.claims(of: byFacebook.token), seconds: -60)

                // The tokens are accepted before the first list, and after it.
                #expect(try await example.user(of: alice.token) == alice.user)
                #expect(try await example.refresh() == "next 5")
                for player in [alice, bob, carol, dave, byFacebook] {
                    #expect(try await example.user(of: player.token) == player.user)
                }
                #expect(try await example.user(of: daves) == dave.user)
                for token in try await badTokens(alice, bob, issuer) {
                    #expect(try await example.user(of: token) == nil, "\(token.secretValue)")
                }

                _ = try await server.run(BanMembers([carol.user], until: nil), reason: "x")
                try await bob.sdk.logOut()
                _ = try await dave.sdk.removeMapping(.facebook)
                let fresh = try await issuer.token(issuer.claims(of: alice.token), seconds: -60)
                #expect(
                    try await example.user(of: bob.token) == bob.user, "a signature says nothing of what came after it")
                #expect(try await example.refresh() == "next 5")
                for token in [bob.token, carol.token, daves] { #expect(try await example.user(of: token) == nil) }
                for player in [alice, dave] {
                    #expect(try await example.user(of: player.token) == player.user)
                }
                #expect(try await example.user(of: fresh) == alice.user)

                try await server.run(KickOut(user: nil, message: [:]))
                // Repeated revocations count once.
                for _ in 0..<2 { #expect(try await example.refresh() == "next 5") }
                #expect(try await example.user(of: fresh) == nil)
                #expect(try await example.user(of: bob.token) == nil)
            }
        }
    }

    /// Tokens that must be refused.
    private func badTokens(_ player: Player, _ other: Player, _ issuer: Issuer) async throws -> [AccessToken] {
        let parts = player.token.secretValue.split(separator: ".")
        let others = other.token.secretValue.split(separator: ".")
        let answer = try await issuer.server.call(Endpoints.revocations, RevocationsRequest())
        let list = try JSONDecoder().decode(SignedRevocations.self, from: answer.body)
        let claims = try await issuer.claims(of: player.token)
        let stranger = try await Self.key(issuer.keys().keys[0].id)
        return [
            AccessToken("\(parts[0]).\(others[1]).\(parts[2])"),
            AccessToken("eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0.\(parts[1])."),
            AccessToken("\(parts[0]).\(parts[1])."), AccessToken("\(parts[0]).\(parts[1])"),
            AccessToken("nonsense"), AccessToken("a.b.c"), AccessToken("bnVsbA.bnVsbA.AAAA"),
            AccessToken(list.revocations),
            try await issuer.token(claims, seconds: -7_200),
            try await issuer.token(claims, seconds: 600),
            try await issuer.token(claims, app: AppID("other")),
            try await issuer.token(claims, key: stranger),
        ]
    }

    @Test(
        "A game server follows a new signing key, refuses revoked ones with the next list, and goes on when the server is gone",
        arguments: ExampleGameServer.Language.available)
    func keys(language: ExampleGameServer.Language) async throws {
        try await withFolder { folder in
            let (example, last) = try await LiveServer.run(on: .sqlite) { server in
                let issuer = Issuer(server: server)
                let example = try await ExampleGameServer.start(language, for: server, in: folder)
                let alice = try await Player.logIn("alice", on: server)
                #expect(try await example.refresh() == "next 5")
                #expect(try await example.user(of: alice.token) == alice.user)
                let claims = try await issuer.claims(of: alice.token)

                // Unknown keys cause at most one fetch in a minute, and don't delay the list.
                let template = Endpoints.keys.template
                let before = server.requests(template)
                for number in 0..<20 {
                    let token = try await issuer.token(claims, key: Self.key("made-up-\(number)"))
                    #expect(try await example.user(of: token) == nil)
                }
                #expect(server.requests(template) - before <= 1)

                // The key is published before it signs.
                let second = try await server.run(RotateSigningKey())
                #expect(try await example.refresh() == "next 5")
                let key = try await issuer.keys().keys.first { $0.id == second }.unwrapped()
                let later = try await issuer.token(claims, key: key)
                for token in [alice.token, later] { #expect(try await example.user(of: token) == alice.user) }

                // These tokens are signed with leaked keys. The next list is signed with an unknown key.
                let third = try await server.run(ReplaceSigningKeys())
                #expect(try await example.refresh() == "next 5")
                for token in [alice.token, later] { #expect(try await example.user(of: token) == nil) }
                let last = try await issuer.keys().keys.first { $0.id == third }.unwrapped()
                let token = try await issuer.token(claims, key: last)
                #expect(try await example.user(of: token) == alice.user)
                #expect(try await example.refresh() == "next 5")
                #expect(server.requests(template) - before <= 1)
                return (example, token)
            }
            #expect(try await example.refresh(attempts: 1).hasPrefix("refused "))
            #expect(try await example.user(of: last) != nil)
        }
    }

    @Test("docs/game-servers.md shows what the files of Examples/servers have")
    func page() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
        }
        let page = try text("docs/game-servers.md")
        func block(_ language: String) throws -> String {
            let rest = try page.split(separator: "```\(language)\n").dropFirst().first.unwrapped()
            return String(try rest.split(separator: "```").first.unwrapped())
        }
        #expect(try block("python") == text("Examples/servers/python/gatehouse.py"))
        for (language, file) in [
            ("swift", "swift/Sources/check-tokens/CheckTokens.swift"), ("js", "node/main.mjs"),
            ("java", "java/Gatehouse.java"), ("go", "go/main.go"),
        ] {
            #expect(try text("Examples/servers/\(file)").contains(try block(language)), "\(file)")
        }
    }
}
