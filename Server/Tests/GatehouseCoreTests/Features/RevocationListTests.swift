import Foundation
import GatehouseJSON
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// The lists for game servers that check tokens alone: what is in them, in which order, and which tokens they leave valid.
@Suite struct RevocationListTests {
    private func check(_ token: AccessToken, _ core: TestCore) async -> Refusal? {
        await refusal {
            try await core.gameServer([.check]).run(CheckToken(request: TokenCheckRequest(accessToken: token)))
        }
    }

    @Test("INFO-3: a list that is too long for one answer goes on where it ends, and loses and repeats none")
    func pages() async throws {
        try await TestCore.open { core in
            let view = try await core.context()
            let count = 2 * RevocationRules.limit + 7
            try await core.database.transact { [vault = core.services.vault] tx in
                let change = Change(view, by: Actor.system.origin, random: .live, vault: vault)
                for number in 0..<count {
                    try RevocationRules.revoke(UserID("USER\(number)"), reason: .loggedOut, change, in: tx)
                }
            }
            let checker = TokenChecker(core)
            try await checker.poll()
            #expect(Set(checker.revocations.map(\.userId)).count == count)
            // After the overlap no entry is repeated.
            core.clock.advance(seconds: RevocationRules.overlapSeconds + 1)
            try await checker.poll()
            checker.revocations = []
            try await checker.poll()
            #expect(checker.revocations.isEmpty)
        }
    }

    @Test("INFO-3: a list names the signing keys that were revoked, is signed by one that stands, and brings it along")
    func revokedKeys() async throws {
        try await TestCore.open { core in
            let poll = { () async throws -> (revoked: Set<String>, signedBy: String, published: [String?]) in
                let signed = try await core.gameServer([.check]).run(ListRevocations(request: RevocationsRequest()))
                let header = try #require(signed.revocations.split(separator: ".").first)
                let fields = try JSONDecoder().decode(
                    [String: String].self, from: Data(#require(Base64URL.decode(String(header)))))
                return (
                    Set(try TokenChecker.list(signed).revokedKeys), try #require(fields["kid"]),
                    signed.jwks.keys.map(\.kid)
                )
            }
            let first = try await poll()
            #expect(first.revoked.isEmpty)
            let old = first.signedBy
            #expect(first.published == [old])
            // A key that is replaced regularly is not revoked: its tokens stay valid until they expire.
            let second = try await core.operator().run(RotateSigningKey())
            let between = try await poll()
            #expect(between.revoked.isEmpty)
            #expect(between.signedBy == old)
            #expect(between.published == [old, second])
            let third = try await core.operator().run(ReplaceSigningKeys())
            let after = try await poll()
            #expect(after.revoked == [old, second])
            #expect(after.signedBy == third)
            #expect(after.published == [third])
        }
    }

    @Test("INFO-3: a guest that was kicked out before is not taken for revoked after its first mapping")
    func generationAfterMapping() async throws {
        try await TestCore.open { core in
            let before = try await core.guest()
            core.clock.advance(seconds: 10)
            try await core.gameServer().run(KickOut(user: before.user, message: [:]))
            core.clock.advance(seconds: 10)
            let again = try await core.guest()
            #expect(again.user == before.user)
            let mapped = try #require(try await again.addMapping(.naver, of: "alice").session)
            let checker = TokenChecker(core)
            try await checker.poll()
            #expect(try await !checker.accepts(before))
            #expect(try await checker.accepts(again))
            #expect(try await checker.accepts(mapped.accessToken))
        }
    }

    @Test(
        "BAN-5, INFO-3: who checks tokens alone refuses those of the second of a kick-out, and no later one",
        arguments: Engine.available)
    func kickOutWithinASecond(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            core.clock.advance(milliseconds: 300)
            let before = try await core.guest("before")
            core.clock.advance(milliseconds: 400)
            try await core.gameServer().run(KickOut(user: nil, message: [:]))
            core.clock.advance(milliseconds: 200)
            // This node knows of the kick-out.
            let checker = TokenChecker(core)
            try await checker.poll()
            let after = try await core.guest("after")
            #expect(try await !checker.accepts(before))
            #expect(try await checker.accepts(after))
            #expect(await check(before.login.session.accessToken, core)?.reason == .kickedOut)
            #expect(await check(after.login.session.accessToken, core) == nil)
            let renewal = try await after.device.holder(of: after.login.session.refreshToken).run(RefreshSession())
            let mapped = try #require(try await after.addMapping(.naver, of: "alice").session)
            core.clock.advance(seconds: 1)
            try await checker.poll()
            for token in [after.login.session.accessToken, mapped.accessToken, renewal.session.accessToken] {
                #expect(try await checker.accepts(token))
                #expect(await check(token, core) == nil)
            }
        }
    }

    @Test("BAN-5, INFO-3: a token that a node signs before it has heard of a kick-out is refused by who checks alone")
    func kickOutUnheard() async throws {
        try await TestCore.open { core in
            core.clock.advance(milliseconds: 990)
            let alice = try await core.player("alice")
            let earlier = try await core.context()
            try await core.gameServer().run(KickOut(user: nil, message: [:]))
            core.clock.advance(milliseconds: 990)
            let unheard = CallContext(app: earlier.app, moment: core.clock.now, keys: earlier.keys)
            let holder = alice.device.holder(of: alice.login.session.refreshToken).actor
            let renewal = try await core.actions.run(RefreshSession(), by: holder, in: unheard)
            let credential = FakePeople.credential(.naver, of: "alice")
            let late = try await core.actions.run(
                LogIn(credential: credential), by: alice.device.caller.actor, in: unheard)
            core.clock.advance(milliseconds: 20)
            let checker = TokenChecker(core)
            try await checker.poll()
            for tokens in [alice.login.session, renewal.session, late.session] {
                #expect(try await !checker.accepts(tokens.accessToken))
                #expect(await check(tokens.accessToken, core)?.reason == .kickedOut)
            }
            let after = try await core.player("alice", on: "tablet")
            #expect(try await checker.accepts(after))
            #expect(await check(after.login.session.accessToken, core) == nil)
        }
    }

    @Test("BAN-5: a kick-out by a clock that is behind lets nobody in again")
    func kickOutTwice() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            core.clock.advance(seconds: 10)
            try await core.gameServer().run(KickOut(user: nil, message: [:]))
            core.clock.advance(seconds: -20)
            try await core.gameServer().run(KickOut(user: nil, message: ["en": "Again."]))
            core.clock.advance(seconds: 30)
            let refused = await refusal { try await alice.run(SendHeartbeat()) }
            #expect(refused?.reason == .kickedOut)
            #expect(refused?.details.message == "Again.")
        }
    }
}
