import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `members`.
@Suite struct MemberQueryTests {
    static let user = UserID("ABCDEFGHJKMNPQRS")
    static let neighbour = UserID("ABCDEFGHJKMNPQRT")

    /// The same two members in both apps.
    static func insertAll(in tx: Draft) throws {
        for app in [Tables.app, Tables.otherApp] {
            for user in [user, neighbour] {
                try MemberQueries.insertMember(user, app: app, on: Tables.moment.day, at: Tables.moment, in: tx)
            }
        }
    }

    static func account(
        _ user: UserID = user, app: AppID = Tables.app, in tx: Reader
    ) throws -> Account {
        try #require(try MemberQueries.account(user, app: app, in: tx))
    }

    /// The members that must be as they were inserted.
    private static func expectOthersUntouched(in tx: Reader) throws {
        for (user, app) in [(neighbour, Tables.app), (user, Tables.otherApp), (neighbour, Tables.otherApp)] {
            let account = try account(user, app: app, in: tx)
            #expect(account.version == 0 && account.generation == 0 && account.status == .normal)
            #expect(account.lastLoginDate == Tables.moment.milliseconds)
            #expect(try MemberQueries.holds(of: user, app: app, in: tx) == Holds())
            #expect(try MemberQueries.sessionsEnd(of: user, app: app, in: tx) == nil)
        }
    }

    @Test("The first member of an app is the one who has registered first", arguments: Engine.available)
    func first(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in try Self.insertAll(in: draft) }
            try await database.read { tx in
                let first = try MemberQueries.first(of: Tables.app, in: tx)
                #expect(first?.user == Self.user && first?.registeredAt == Tables.moment)
            }
            let isNobody = try await database.read { tx in try MemberQueries.first(of: AppID("none"), in: tx) == nil }
            #expect(isNobody)
        }
    }

    @Test("Members of one decision are read back as they were inserted", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in try Self.insertAll(in: draft) }
            try await database.read { tx in
                let moment = Tables.moment.milliseconds
                #expect(
                    try Self.account(in: tx)
                        == Account(
                            app: Tables.app, user: Self.user, status: .normal, registrationDate: moment,
                            lastLoginDate: moment, version: 0, generation: 0, mappings: [],
                            activeDay: Tables.moment.day))
                try Self.expectOthersUntouched(in: tx)
                #expect(try MemberQueries.account(Tables.nobody, app: Tables.app, in: tx) == nil)
                #expect(try MemberQueries.holds(of: Tables.nobody, app: Tables.app, in: tx) == nil)
            }
        }
    }

    @Test("The id of a member that exists is taken in its app only", arguments: Engine.available)
    func taken(engine: Engine) async throws {
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                try Self.insertAll(in: tx)
                try MemberQueries.insertMember(
                    Self.user, app: Tables.app, on: Tables.moment.day, at: Tables.moment, in: tx)
            }
        }
    }

    @Test("A login and a step are written to the version that was read", arguments: Engine.available)
    func versions(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            let account = try Self.account(in: tx)
            try MemberQueries.updateLastLogin(
                account, day: account.activeDay, at: Moment(milliseconds: .max), in: tx)
            try MemberQueries.step(account, in: tx)
            let after = try Self.account(in: tx)
            #expect(after.version == 1 && after.lastLoginDate == .max)
            #expect(after.registrationDate == Tables.moment.milliseconds)
            try Self.expectOthersUntouched(in: tx)
        }
    }

    private static let staleWrites: [@Sendable (Account, Draft) throws -> Void] = [
        { try MemberQueries.updateLastLogin($0, day: $0.activeDay, at: Tables.moment, in: $1) },
        { try MemberQueries.step($0, in: $1) },
        { try MemberQueries.update($0, status: .banned, holds: Holds(), in: $1) },
    ]

    @Test("A write to another version than the present one is a conflict", arguments: Engine.available, 0..<3)
    func stale(engine: Engine, write: Int) async throws {
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                try Self.insertAll(in: tx)
                let account = try Self.account(in: tx)
                _ = try MemberQueries.take(Self.user, app: Tables.app, in: tx)
                try Self.staleWrites[write](account, tx)
            }
        }
    }

    @Test(
        "Pending withdrawals are in the order of their moments, and overdue members are counted",
        arguments: Engine.available)
    func withdrawing(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            for (user, seconds) in [(Self.user, 9), (Self.neighbour, 3)] as [(UserID, Int64)] {
                let holds = Holds(withdrawsAt: Tables.moment + seconds)
                try MemberQueries.update(
                    try Self.account(user, in: tx), status: .pendingWithdrawal, holds: holds, in: tx)
            }
            let pending = try MemberQueries.withdrawing(from: Tables.app, limit: 9, in: tx)
            #expect(pending.map(\.user) == [Self.neighbour, Self.user])
            #expect(pending.map(\.at) == [Tables.moment + 3, Tables.moment + 9])
            #expect(try MemberQueries.withdrawing(from: Tables.app, limit: 1, in: tx).count == 1)
            #expect(try MemberQueries.withdrawing(from: Tables.otherApp, limit: 9, in: tx).isEmpty)
            #expect(try MemberQueries.overdue(before: Tables.moment + 4, limit: 9, in: tx) == 1)
            #expect(try MemberQueries.overdue(before: Tables.moment + 99, limit: 1, in: tx) == 1)
        }
    }

    @Test("Taking a member is a new version, and tells whether there is one", arguments: Engine.available)
    func take(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            #expect(try MemberQueries.take(Self.user, app: Tables.app, in: tx))
            #expect(try !MemberQueries.take(Tables.nobody, app: Tables.app, in: tx))
            #expect(try Self.account(in: tx).version == 1)
            try Self.expectOthersUntouched(in: tx)
        }
    }

    @Test("Status and holds are read back with every deadline, the first of which is due", arguments: Engine.available)
    func holds(engine: Engine) async throws {
        let holds = Holds(
            withdrawsAt: Tables.moment + 40, ban: .init(id: Tables.text, endsAt: Tables.moment + 30),
            graceBan: .init(id: "grace", endsAt: Tables.moment + 20), restorableUntil: Moment(milliseconds: .max))
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            try MemberQueries.update(try Self.account(in: tx), status: .banned, holds: holds, in: tx)
            #expect(try MemberQueries.holds(of: Self.user, app: Tables.app, in: tx) == holds)
            let after = try Self.account(in: tx)
            #expect(after.status == .banned && after.version == 1)
            let due = try MemberQueries.due(at: Tables.moment + 20, after: nil, limit: 10, in: tx)
            #expect(due.map(\.since) == [Tables.moment + 20])
            try Self.expectOthersUntouched(in: tx)
        }
    }

    @Test("A permanent ban has no end, and holds that are gone leave no deadline", arguments: Engine.available)
    func holdsWithoutEnd(engine: Engine) async throws {
        let permanent = Holds(ban: .init(id: "ban", endsAt: nil))
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            try MemberQueries.update(try Self.account(in: tx), status: .banned, holds: permanent, in: tx)
            #expect(try MemberQueries.holds(of: Self.user, app: Tables.app, in: tx) == permanent)
            try MemberQueries.update(try Self.account(in: tx), status: .normal, holds: Holds(), in: tx)
            #expect(try MemberQueries.holds(of: Self.user, app: Tables.app, in: tx) == Holds())
            let end = Moment(milliseconds: .max)
            #expect(try MemberQueries.due(at: end, after: nil, limit: 10, in: tx).isEmpty)
        }
    }

    @Test("Members are due by deadline, then by id, page after page over all apps", arguments: Engine.available)
    func due(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            let deadlines = [
                (Self.user, Tables.app, 5), (Self.user, Tables.otherApp, 5), (Self.neighbour, Tables.app, 5),
            ]
            for (user, app, seconds) in deadlines + [(Self.neighbour, Tables.otherApp, 1)] {
                let holds = Holds(withdrawsAt: Tables.moment + Int64(seconds))
                try MemberQueries.update(
                    try Self.account(user, app: app, in: tx), status: .pendingWithdrawal, holds: holds, in: tx)
            }
            #expect(try MemberQueries.due(at: Tables.moment, after: nil, limit: 9, in: tx).isEmpty)
            var last: MemberQueries.Due?
            var found: [String] = []
            while let next = try MemberQueries.due(at: Tables.moment + 5, after: last, limit: 1, in: tx).first {
                found.append("\(next.member.user.rawValue.suffix(1)) \(next.member.app.rawValue)")
                last = next
            }
            #expect(found == ["T other-queried-game", "S game", "S other-queried-game", "T game"])
        }
    }

    @Test("A new generation has its reason and message, and belongs to one member", arguments: Engine.available)
    func endSessions(engine: Engine) async throws {
        let end = SessionsEnd(reason: .loggedOut, message: LocalizedText(["en": Tables.text, "ko": "정지"]))
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            try MemberQueries.endSessions(of: Self.user, app: Tables.app, end, in: tx)
            #expect(try Self.account(in: tx).generation == 1)
            #expect(try MemberQueries.sessionsEnd(of: Self.user, app: Tables.app, in: tx) == end)
            try Self.expectOthersUntouched(in: tx)
            let silent = SessionsEnd(reason: .loggedOut)
            try MemberQueries.endSessions(of: Self.user, app: Tables.app, silent, in: tx)
            #expect(try MemberQueries.sessionsEnd(of: Self.user, app: Tables.app, in: tx) == silent)
        }
    }

    @Test("The list is in the order of ids, of one app and one status, after an id", arguments: Engine.available)
    func list(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            try MemberQueries.update(try Self.account(in: tx), status: .withdrawn, holds: Holds(), in: tx)
            let list = { (status: MemberStatus?, after: UserID?, limit: Int) in
                try MemberQueries.list(of: Tables.app, status: status, after: after, limit: limit, in: tx).map(\.userId)
            }
            #expect(try list(nil, nil, 9) == [Self.user, Self.neighbour])
            #expect(try list(nil, nil, 1) == [Self.user])
            #expect(try list(nil, Self.user, 9) == [Self.neighbour])
            #expect(try list(.withdrawn, nil, 9) == [Self.user])
            #expect(try list(.banned, nil, 9).isEmpty)
        }
    }

    @Test("Briefs are of the members that are asked for, in one app", arguments: Engine.available)
    func briefs(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            let holds = Holds(withdrawsAt: Tables.moment + 1)
            try MemberQueries.update(try Self.account(in: tx), status: .pendingWithdrawal, holds: holds, in: tx)
            let found = try MemberQueries.briefs(of: [Self.user, Tables.nobody], app: Tables.app, in: tx)
            #expect(found.map(\.brief.user) == [Self.user] && found.map(\.dueAt) == [Tables.moment + 1])
            #expect(found.map(\.brief.status) == [.pendingWithdrawal])
            let other = try MemberQueries.briefs(of: [Self.neighbour], app: Tables.otherApp, in: tx)
            #expect(other.map(\.dueAt) == [nil])
        }
    }
}
