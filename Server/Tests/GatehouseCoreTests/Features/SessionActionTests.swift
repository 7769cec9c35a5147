import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// The life of a session: its tokens, its deadlines, and what its player is told at its end.
@Suite struct SessionActionTests {
    private func refresh(_ player: Player) async throws -> SessionRenewal {
        try await player.device.holder(of: player.login.session.refreshToken).run(RefreshSession())
    }

    private func resume(_ player: Player) async throws -> Login {
        try await player.device.holder(of: player.login.session.refreshToken).run(LogInWithLastProvider())
    }

    // MARK: Tokens

    @Test("SES-1: the database has only the hash of a refresh token, and the secret of another token opens nothing")
    func tokensAtRest() async throws {
        try await TestCore.open { core in
            let (phone, tablet) = (try await core.guest("phone"), try await core.guest("tablet"))
            let tokens = try [phone, tablet].map { try #require($0.login.session.refreshToken).secretValue }
            let stored = try await core.database.rows("SELECT refresh_hash FROM sessions") { row in
                try row[0] as [UInt8]
            }
            #expect(Set(stored) == Set(tokens.map { CredentialClaim.hash(of: $0) }))
            let parts = tokens.map { $0.split(separator: ".").map(String.init) }
            let mixed = RefreshToken("\(parts[0][0]).\(parts[1][1])")
            for token in [mixed, RefreshToken("\(parts[0][0]).")] {
                let refused = await refusal { try await phone.device.holder(of: token).run(RefreshSession()) }
                #expect(refused?.code == .authInvalidGatehouseToken)
            }
            #expect(try await refresh(phone).session.refreshToken == nil)
        }
    }

    @Test("SES-2: an access token counts only for the member and the key of its session")
    func foreignClaims() async throws {
        try await TestCore.open { core in
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            let claims = try await core.services.tokens.claims(
                of: alice.login.session.accessToken, app: TestCore.app, at: core.clock.now)
            for (user, key) in [(bob.user, claims.key), (claims.user, bob.device.key)] {
                let mixed = AccessClaims(
                    app: claims.app, user: user, session: claims.session, provider: claims.provider, key: key,
                    issuedAt: claims.issuedAt, expiresAt: claims.expiresAt, generation: claims.generation)
                let caller = Caller(core: core, actor: Actor(principal: .player(mixed), door: .httpAPI))
                #expect(await refusal { try await caller.run(SendHeartbeat()) }?.reason == .sessionUnknown)
                #expect(await refusal { try await caller.run(RequestWithdrawal()) }?.reason == .sessionUnknown)
            }
            #expect(try await core.member(alice.user).status == .normal)
            #expect(try await core.member(bob.user).status == .normal)
        }
    }

    @Test("SES-2: a proof changes something once, whichever node sees it again")
    func proofs() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let proof = Caller.proof(by: alice.device.key, at: core.clock.now)
            var caller = try await alice.caller
            _ = try await caller.run(RequestWithdrawal(), proof: proof)
            for node in [core, try core.restarted()] {
                caller = Caller(core: node, actor: caller.actor, owner: caller.owner)
                let replayed = await refusal { try await caller.run(CancelWithdrawal(), proof: proof) }
                #expect(replayed?.reason == .proofReplayed)
            }
            #expect(try await core.member(alice.user).status == .pendingWithdrawal)
        }
    }

    @Test(
        "SES-3: many refreshes at once succeed together, and each gives a token that counts",
        arguments: Engine.available)
    func manyRefreshes(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let guest = try await core.guest()
            let tokens = try await withThrowingTaskGroup(of: AccessToken.self) { group in
                for _ in 0..<50 { group.addTask { try await refresh(guest).session.accessToken } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for token in tokens {
                let check = try await core.gameServer([.check]).run(
                    CheckToken(request: TokenCheckRequest(accessToken: token)))
                #expect(check.member.userId == guest.user)
            }
            #expect(tokens.count == 50)
        }
    }

    @Test("SES-6: each login gets tokens of its own, whatever the device had before, and a resumed one none")
    func ownTokens() async throws {
        try await TestCore.open { core in
            let (first, second) = (try await core.guest(), try await core.guest())
            #expect(first.user == second.user)
            #expect(first.login.session.refreshToken != nil)
            #expect(first.login.session.refreshToken != second.login.session.refreshToken)
            #expect(try await resume(first).session.refreshToken == nil)
            let sessions = try await first.run(ListOwnSessions()).sessions
            #expect(sessions.count == 2)
            #expect(try await core.operator().run(.liveSessions).count == 2)
        }
    }

    @Test("INFO-3, LOGIN-12: an access token counts for its member until its last second, and is told apart after it")
    func accessTokens() async throws {
        try await TestCore.open { core in
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            let token = alice.login.session.accessToken
            @Sendable func check(as user: UserID?) async throws -> TokenCheck {
                try await core.gameServer([.check]).run(
                    CheckToken(request: TokenCheckRequest(accessToken: token, userId: user)))
            }
            #expect(alice.login.session.accessTokenExpiryDate == core.clock.in(seconds: 3_600))
            #expect(await refusal { try await check(as: bob.user) }?.reason == .tokenForeign)
            core.clock.advance(seconds: 3_599)
            #expect(try await check(as: alice.user).provider == .naver)
            _ = try await alice.run(RequestWithdrawal())
            core.clock.advance(seconds: 1)
            #expect(await refusal { try await check(as: nil) }?.reason == .tokenExpired)
            let late = await refusal { try await alice.run(CancelWithdrawal()) }
            #expect(late?.code == .authInvalidGatehouseToken)
            #expect(late?.reason == .tokenExpired)
            #expect(try await core.member(alice.user).status == .pendingWithdrawal)
        }
    }

    @Test("IDP-9: no kind of token counts in another's place")
    func kinds() async throws {
        try await TestCore.open { core in
            _ = try await core.player("alice", .twitter, on: "tablet")
            let guest = try await core.guest("phone")
            let tokens = guest.login.session
            let refreshToken = try #require(tokens.refreshToken).secretValue
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            let read = { (text: String) in
                try await core.services.tokens.claims(of: AccessToken(text), app: TestCore.app, at: core.clock.now)
            }
            for text in [refreshToken, ticket.forcingMappingKey.secretValue, "", "a.b.c"] {
                #expect(await refusal { try await read(text) }?.reason == .tokenMalformed)
            }
            for text in [tokens.accessToken.secretValue, ticket.forcingMappingKey.secretValue] {
                let holder = guest.device.holder(of: RefreshToken(text))
                #expect(await code { try await holder.run(RefreshSession()) } == .authInvalidGatehouseToken)
            }
            var wrong = ticket
            wrong.forcingMappingKey = ForcingMappingKey(refreshToken)
            let forced = await code { try await guest.run(ForceMapping(ticket: wrong)) }
            #expect(forced == .authAddMappingForciblyNotExistKey)
            var credential = Credential(provider: .twitter)
            credential.loginCode = ProviderToken(refreshToken)
            #expect(await code { try await guest.device.logIn(credential) } == .authIDPLoginFailed)
            #expect(try await guest.isLoggedIn)
        }
    }

    // MARK: Deadlines

    @Test("SES-7: in its last second an unused session goes on, and in the next one it is over")
    func lastSecond() async throws {
        try await TestCore.open { core in
            let (used, idle) = (try await core.guest("phone"), try await core.guest("tablet"))
            core.clock.advance(seconds: 90 * 86_400 - 1)
            _ = try await refresh(used)
            #expect(try await idle.isLoggedIn)
            core.clock.advance(seconds: 1)
            #expect(await refusal { try await refresh(idle) }?.reason == .sessionExpired)
            #expect(await refusal { try await resume(idle) }?.reason == .sessionExpired)
            #expect(try await !idle.isLoggedIn)
            #expect(try await used.isLoggedIn)
        }
    }

    @Test("SES-7: no use prolongs a session beyond 400 days, nor a token beyond its session")
    func longestLife() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let end = core.clock.in(seconds: 400 * 86_400)
            for _ in 1...4 {
                core.clock.advance(days: 80)
                _ = try await refresh(guest)
            }
            core.clock.advance(seconds: 80 * 86_400 - 1)
            let last = try await refresh(guest).session
            #expect(last.sessionExpiryDate == end)
            #expect(last.accessTokenExpiryDate == end)
            core.clock.advance(seconds: 1)
            #expect(await refusal { try await refresh(guest) }?.reason == .sessionExpired)
            #expect(try await !guest.isLoggedIn)
        }
    }

    @Test("SES-8: a login with the last provider that is refused prolongs nothing")
    func failsClosed() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            core.clock.advance(days: 89)
            try await core.operator().run(SetStatus(status: .maintenance, message: [:]))
            #expect(await code { try await resume(alice) } == .authNotPlayable)
            try await core.operator().run(SetStatus(status: .inService, message: [:]))
            core.clock.advance(days: 1)
            let late = await refusal { try await resume(alice) }
            #expect(late?.code == .authTokenLoginInvalidTokenInfo)
            #expect(late?.reason == .sessionExpired)
            #expect(core.callLog.counts[.loggedIn] == nil)
        }
    }
}
