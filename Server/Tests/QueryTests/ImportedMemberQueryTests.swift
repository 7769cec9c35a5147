import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `members` and `identities`, as an import reads and writes them.
@Suite struct ImportedMemberQueryTests {
    private static let (user, neighbour) = (MemberQueryTests.user, MemberQueryTests.neighbour)

    private static func account(_ user: UserID = user, app: AppID = Tables.app) -> Account {
        var account = Account(
            app: app, user: user, status: .banned, registrationDate: 1_000, lastLoginDate: 2_000, version: 0,
            generation: 0, mappings: [])
        account.activeDay = 7
        account.holds.ban = .init(id: "ban", endsAt: Tables.moment)
        account.holds.withdrawsAt = Tables.moment + 1
        return account
    }

    @Test("A member is read back with its dates and its holds", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueries.insertImported(Self.account(), in: tx)
            let found = try MemberRules.known(Self.user, app: Tables.app, in: tx)
            #expect(found == Self.account())
            let due = try MemberQueries.due(at: Tables.moment, after: nil, limit: 9, in: tx)
            #expect(due.map(\.member.user) == [Self.user] && due.first?.since == Tables.moment)
        }
    }

    @Test(
        "Owners of many identities are found by provider, namespace and the bytes of the subject",
        arguments: Engine.available)
    func owners(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let composed = IdentityKey(provider: .google, namespace: "", subject: "Zo\u{eb}")
            let decomposed = IdentityKey(provider: .google, namespace: "", subject: "Zoe\u{308}")
            let other = IdentityKey(provider: .line, namespace: "a/b", subject: Tables.text)
            for (user, identity) in [(Self.user, composed), (Self.neighbour, other)] {
                try MemberQueries.insertImported(Self.account(user), in: tx)
                try MemberQueries.insertIdentity(identity, of: Self.account(user), at: Tables.moment, in: tx)
            }
            let many = (0..<300).map { IdentityKey(provider: .google, namespace: "", subject: "\($0)") }
            let elsewhere = [
                IdentityKey(provider: .google, namespace: "a/b", subject: composed.subject),
                IdentityKey(provider: .naver, namespace: "", subject: composed.subject),
            ]
            let find = { (identities: [IdentityKey]) in
                Set(try MemberQueries.owners(of: identities, app: Tables.app, in: tx).map(\.user))
            }
            #expect(try find(many + [composed, other]) == [Self.user, Self.neighbour])
            #expect(try find(many + elsewhere).isEmpty)
            #expect(try find([decomposed]).isEmpty)
            #expect(try find([]).isEmpty)
            #expect(try MemberQueries.owners(of: [composed], app: Tables.otherApp, in: tx).isEmpty)
            let users = [Self.user, Tables.nobody]
            #expect(try MemberQueries.existing(among: users, app: Tables.app, in: tx) == [Self.user])
        }
    }

    @Test("A member that was used or changed is not one to delete", arguments: Engine.available)
    func unused(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for app in [Tables.app, Tables.otherApp] {
                try MemberQueries.insertImported(Self.account(app: app), in: tx)
            }
            let isUnused = { (moment: Int64) in
                try MemberQueries.lockUnused(
                    Self.user, since: Moment(milliseconds: moment), app: Tables.app, in: tx)
            }
            #expect(try isUnused(2_000))
            #expect(try !isUnused(1_999))
            #expect(try !MemberQueries.lockUnused(Tables.nobody, since: Tables.moment, app: Tables.app, in: tx))
            try MemberQueries.step(Self.account(), in: tx)
            #expect(try !isUnused(2_000))
            try MemberQueries.deleteMember(Self.user, app: Tables.app, in: tx)
            #expect(try MemberQueries.account(Self.user, app: Tables.app, in: tx) == nil)
            #expect(try MemberQueries.account(Self.user, app: Tables.otherApp, in: tx) != nil)
        }
    }
}
