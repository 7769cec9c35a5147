import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What operators find about members.
@Suite struct MemberAdministrationTests {
    @Test(
        "An operator lists members page by page, and finds one by user id and by identity", arguments: Engine.available)
    func listAndSearch(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            var users: [UserID] = []
            for number in 0..<5 { users.append(try await core.player("alice-\(number)", on: "phone\(number)").user) }
            try await core.ban([users[0]])
            func list(_ report: Read<[Member]>) async throws -> [UserID] {
                try await core.operator().run(report).map(\.userId)
            }
            let first = try await list(.members(limit: 3))
            let second = try await list(.members(after: first.last, limit: 3))
            #expect(first.count == 3 && second.count == 2)
            #expect(Set(first + second) == Set(users))
            #expect(try await list(.members(status: .banned)) == [users[0]])
            func search(_ text: String) async throws -> [UserID] {
                try await core.operator().run(.members(foundBy: text)).map(\.userId)
            }
            #expect(try await search("alice-3") == [users[3]])
            #expect(try await search(users[4].rawValue) == [users[4]])
            #expect(try await search("naver:alice-3") == [users[3]])
            #expect(try await search("twitter:alice-3").isEmpty)
            #expect(try await search(String(users[4].rawValue.prefix(4)).lowercased()).contains(users[4]))
            for nobody in ["", "alice", "' OR 1=1 --", "alice-3\u{1}"] {
                #expect(try await search(nobody).isEmpty, "\(nobody)")
            }
            let report = try await core.operator().run(.memberReport(of: users[0]))
            #expect(report.ban?.reason == "cheats")
        }
    }

    @Test(
        "LOGIN-11: a later login tells the registration, the last login and the mappings", arguments: Engine.available)
    func loginMember(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let first = try await core.player("alice").login.member
            core.clock.advance(days: 1)
            let again = try await core.player("alice").login.member
            var expected = first
            expected.lastLoginDate = core.clock.now.milliseconds
            #expect(again == expected)
            #expect(again.temporaryWithdrawal == nil && again.graceBan == nil)
        }
    }

    @Test("What did not happen leaves no line in the audit log")
    func noEvent() async throws {
        try await TestCore.open { core in
            let nobody = UserID("AAAAAAAAAAAAAAAA")
            let alice = try await core.player("alice")
            try await core.ban([alice.user])
            try await core.operator().run(DisableIdentityProvider(provider: .twitter))
            core.callLog.clear()
            for user in [nobody, alice.user] { #expect(try await core.ban([user]) == [user]) }
            #expect(try await core.operator().run(ReleaseBans(users: [nobody])).failedUserIds == [nobody])
            #expect(await code { try await core.operator().run(WithdrawMember(user: nobody)) } == .authNotExistMember)
            let kickOut = KickOut(user: nobody, message: [:])
            #expect(await code { try await core.operator().run(kickOut) } == .authNotExistMember)
            #expect(try await core.operator().run(RevokeOldSecrets()) == 0)
            try await core.changeLimits { _ in }
            try await core.operator().run(SetAccountPolicy { _ in })
            try await core.operator().run(SetStatus(status: .inService, message: [:]))
            try await core.operator().run(EndMaintenance())
            try await core.operator().run(DisableIdentityProvider(provider: .twitter))
            #expect(core.callLog.events.isEmpty)
            // An effective change is recorded once.
            try await core.changeLimits { $0.newGuestsPerMinute = 7 }
            #expect(try await core.operator().run(ReleaseBans(users: [alice.user])).failedUserIds.isEmpty)
            #expect(core.callLog.events == ["limits.set", "ban.released"])
        }
    }
}
