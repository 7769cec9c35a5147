import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// How operators and game servers find members.
@Suite struct FindPlayerTests {
    @Test("UI-FIND-1, UI-FIND-2: a player is found by an id, its beginning, a transfer account and a moved identity")
    func find() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            core.clock.advance(seconds: 600)
            let guest = try await core.guest("tablet")
            let account = try await guest.run(IssueTransferAccount())
            func find(_ text: String) async throws -> [FoundPlayer] {
                try await core.operator().run(.players(foundBy: text))
            }
            let id = guest.user.rawValue
            let texts: [(String, FoundPlayer.By)] = [
                (id, .userID), (id.lowercased(), .userID), ("\(id.prefix(8)) \(id.suffix(8))", .userID),
                (String(id.prefix(10)), .beginning), (account.id, .transfer), (wide(id), .userID),
                ("\u{202a}\(id.prefix(8))\u{2011}\(id.suffix(8))\u{202c}", .userID),
                ("\(wide(account.id))\u{200b}", .transfer),
            ]
            for (text, by) in texts {
                let found = try await find(text)
                #expect(found.map(\.user) == [guest.user] && found.map(\.by) == [by], "\(text)")
            }
            try await core.operator().run(MoveMemberMapping(.naver, from: alice.user, to: guest.user))
            for text in ["alice", "naver:alice", "\u{feff}alice\u{200e}", wide("alice")] {
                let both = try await find(text)
                #expect(both.map(\.by) == [.identity, .formerIdentity] && both.map(\.provider) == [.naver, .naver])
                #expect(both.map(\.user) == [guest.user, alice.user] && both.last?.until != nil)
            }
            #expect(try await find("twitter:alice").isEmpty)
        }
    }

    @Test("A player is found by the id in the old system, exactly, with the system's name", arguments: Engine.available)
    func legacyID(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            try await ImportedFile(.guest("YpE2Guest1"), .person("7", "7"), .person("8", "9")).run(at: core)
            func find(_ text: String) async throws -> [FoundPlayer] {
                try await core.operator().run(.players(foundBy: text))
            }
            let found = try await find("YpE2Guest1")
            let user = try #require(try await core.member(ofLegacy: "YpE2Guest1"))
            #expect(found.map(\.user) == [user] && found.map(\.by) == [.legacyID] && found.map(\.source) == ["old"])
            for text in ["ype2guest1", "YpE2Guest", "YpE2Guest1x", "twitter:8"] {
                #expect(try await find(text).isEmpty, "\(text)")
            }
            // Who has the same subject and the same old id is one player.
            #expect(try await find("7").map(\.by) == [.identity])
            #expect(try await find("8").map(\.by) == [.legacyID])
            #expect(try await core.operator().run(.members(foundBy: "YpE2Guest1")).map(\.userId) == [user])
        }
    }

    @Test("UI-MEM-5: members who share a device are found by it, and two members are compared by their devices")
    func devices() async throws {
        try await TestCore.open { core in
            let (guest, alice) = (try await core.guest(), try await core.player("alice"))
            let bob = try await core.player("bob", on: "tablet")
            let caller = core.operator()
            let listed = try await caller.run(.devices(of: alice.user))
            #expect(listed.map(\.key) == [guest.device.key] && listed.map(\.others) == [[guest.user]])
            #expect(try await caller.run(.comparison(of: alice.user, with: guest.user)).devices == [guest.device.key])
            #expect(try await caller.run(.comparison(of: alice.user, with: bob.user)).devices.isEmpty)
        }
    }

    @Test("BAN-2: a game server is told of members as they are now, and not of those that are none")
    func members() async throws {
        try await TestCore.open { core in
            let (alice, bob) = (try await core.player("alice").user, try await core.player("bob", on: "tablet").user)
            try await core.ban([alice], seconds: 60)
            func statuses() async throws -> [UserID: MemberStatus] {
                let found = try await core.gameServer([.profile]).run(
                    FindMembers(users: [alice, bob, UserID("NOBODY"), alice]))
                return Dictionary(uniqueKeysWithValues: found.map { ($0.user, $0.status) })
            }
            #expect(try await statuses() == [alice: .banned, bob: .normal])
            core.clock.advance(seconds: 60)
            #expect(try await statuses() == [alice: .normal, bob: .normal])
        }
    }
}
