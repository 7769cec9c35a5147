import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// How operators look for members, in tables `members`, `identities`, `former_identities` and `ledger`.
@Suite struct MemberBrowseQueryTests {
    /// Members that were registered an hour apart, the first of which has Google, in both apps.
    private static let users = (0..<6).map { hour in TimeOrderedID.firstUser(at: Tables.moment + hour * 3_600) }

    private static func insertAll(in tx: Transaction) throws {
        for app in [Tables.app, Tables.otherApp] {
            for (hour, user) in users.enumerated() {
                try MemberQueries.insertMember(
                    user, app: app, on: Tables.moment.day, at: Tables.moment + Int64(hour) * 3_600, in: tx)
            }
        }
        let account = try MemberQueryTests.account(users[0], in: tx)
        let google = IdentityKey(provider: .google, namespace: "", subject: "alice")
        try MemberQueries.insertIdentity(google, of: account, at: Tables.moment, in: tx)
    }

    private static func found(
        _ filter: MemberFilter, before: UserID? = nil, limit: Int = 9, lookingAt bound: Int = 9, in tx: Reader
    ) throws -> [UserID] {
        try MemberQueries.browse(
            filter, from: MemberCursor(after: before?.rawValue), app: Tables.app, limit: limit, lookingAt: bound, in: tx
        ).map(\.user)
    }

    private static func lastLookedAt(_ filter: MemberFilter, before: UserID? = nil, in tx: Reader) throws -> UserID? {
        try MemberQueries.lastLookedAt(
            filter, from: MemberCursor(after: before?.rawValue), app: Tables.app, lookingAt: 5, in: tx)?.user
    }

    /// Everything that a list has in an order, in pages of two.
    private static func pages(
        _ order: MemberOrder, _ filter: MemberFilter = MemberFilter(), lookingAt bound: Int = 9, in tx: Reader
    ) throws -> [UserID] {
        var (found, place) = ([UserID](), String?.none)
        while true {
            let cursor = MemberCursor(order, after: place)
            let page = try MemberQueries.browse(
                filter, from: cursor, app: Tables.app, limit: 2, lookingAt: bound, in: tx)
            guard let last = page.last else { return found }
            found += page.map(\.user)
            place = cursor.text(after: last)
        }
    }

    @Test("Members are filtered by state, identity and registration, newest first", arguments: Engine.available)
    func filters(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            let users = Self.users
            #expect(try Self.found(MemberFilter(), limit: 2, in: tx) == [users[5], users[4]])
            #expect(try Self.found(MemberFilter(), before: users[4], limit: 2, in: tx) == [users[3], users[2]])
            #expect(try Self.found(MemberFilter(has: .google), in: tx) == [users[0]])
            #expect(try Self.found(MemberFilter(lacks: .google), in: tx) == users[1...].reversed())
            #expect(try Self.found(MemberFilter(status: .banned), in: tx).isEmpty)
            let hours = MemberFilter(since: Tables.moment + 3_600, until: Tables.moment + 3 * 3_600)
            #expect(try Self.found(hours, in: tx) == [users[2], users[1]])
            #expect(
                try MemberQueries.providers(of: users, app: Tables.app, in: tx) == [users[0]: [Provider.google]])
        }
    }

    @Test("A rare member is found in steps that each look at a limited number", arguments: Engine.available)
    func bounded(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            let filter = MemberFilter(has: .google)
            #expect(try Self.found(filter, lookingAt: 5, in: tx).isEmpty)
            let last = try #require(try Self.lastLookedAt(filter, in: tx))
            #expect(last == Self.users[1])
            #expect(try Self.found(filter, before: last, lookingAt: 5, in: tx) == [Self.users[0]])
            #expect(try Self.lastLookedAt(filter, before: last, in: tx) == nil)
        }
    }

    @Test("Members are listed by registration and by last login, in both directions", arguments: Engine.available)
    func orders(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            let users = Self.users
            // Members 1 and 4 were here at the same moment, and in the other app nobody came back.
            for (place, hour) in [(1, 30), (4, 30), (0, 40)] as [(Int, Int64)] {
                let account = try MemberQueryTests.account(users[place], in: tx)
                try MemberQueries.updateLastLogin(
                    account, day: account.activeDay, at: Tables.moment + hour * 3_600, in: tx)
            }
            #expect(try Self.pages(.newest, in: tx) == users.reversed())
            #expect(try Self.pages(.oldest, in: tx) == users)
            let latest = MemberOrder(.lastLogin, isAscending: false)
            let earliest = MemberOrder(.lastLogin, isAscending: true)
            let sorted = [0, 4, 1, 5, 3, 2].map { users[$0] }
            #expect(try Self.pages(latest, in: tx) == sorted)
            #expect(try Self.pages(earliest, in: tx) == sorted.reversed())
            // Only the members who registered last are sorted by login, in either direction.
            #expect(try Self.pages(latest, lookingAt: 3, in: tx) == [4, 5, 3].map { users[$0] })
            #expect(try Self.pages(earliest, lookingAt: 3, in: tx) == [3, 5, 4].map { users[$0] })
            let hours = MemberFilter(
                lacks: .google, since: Tables.moment, until: Tables.moment + 3 * 3_600)
            #expect(try Self.pages(.oldest, hours, in: tx) == [users[1], users[2]])
            #expect(try Self.pages(latest, hours, in: tx) == [users[1], users[2]])
            // The page after a member who registered before the period begins with the period.
            let later = MemberFilter(since: Tables.moment + 2 * 3_600)
            let page = try MemberQueries.browse(
                later, from: MemberCursor(.oldest, after: users[0].rawValue), app: Tables.app, limit: 1, lookingAt: 9,
                in: tx)
            #expect(page.map(\.user) == [users[2]])
        }
    }

    @Test("SQLite looks at members in both directions by the key of their table", arguments: ["", " DESC"])
    func plan(direction: String) async throws {
        let statement = SQL(
            stringLiteral: """
                EXPLAIN QUERY PLAN SELECT m.user_id FROM (
                    SELECT app_id, user_id, last_login_at FROM members
                    WHERE app_id = 'a' AND user_id >= 'b' AND user_id < 'c' ORDER BY user_id\(direction) LIMIT 5000) m
                WHERE TRUE AND (m.last_login_at, m.user_id) < (1, 'b') ORDER BY m.last_login_at, m.user_id LIMIT 26
                """)
        try await Tables.open(.sqlite) { database in
            let steps = try await database.read { tx in try tx.rows(statement) { row in try row[3] as String } }
            let looks = steps.filter { $0.contains(" members ") }
            #expect(looks.count == 1 && looks[0].hasPrefix("SEARCH members USING PRIMARY KEY "), "\(steps)")
            #expect(steps.filter { $0.contains("TEMP B-TREE") }.count == 1, "\(steps)")
        }
    }

    @Test(
        "What is no place in a list leads to its first page",
        arguments: ["", "-", "x-A", "1", "1-A-B", "9999999999999999999-A"])
    func places(text: String) {
        let first = MemberCursor(MemberOrder(.lastLogin, isAscending: false))
        #expect(MemberCursor(first.order, after: text) == first)
    }

    @Test("A member is found by the first letters, its subject and a subject that it had", arguments: Engine.available)
    func find(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertAll(in: tx)
            let (user, former) = (Self.users[0], Self.users[3])
            let letters = String(former.rawValue.prefix(9))
            let beginning = try MemberQueries.users(beginningWith: letters, app: Tables.app, limit: 9, in: tx)
            #expect(beginning == Self.users.filter { $0.rawValue.hasPrefix(letters) } && beginning.contains(former))
            let holders = try MemberQueries.holders(ofSubject: "alice", app: Tables.app, in: tx)
            #expect(holders.map(\.user) == [user] && holders.map(\.provider) == [.google])
            #expect(try MemberQueries.holders(ofSubject: "alice", app: Tables.otherApp, in: tx).isEmpty)
            let google = IdentityKey(provider: .google, namespace: "", subject: "alice")
            try FormerIdentityQueries.keep(
                google, of: former, app: Tables.app, at: Tables.moment + 5, until: Tables.moment + 9, in: tx)
            let had = try FormerIdentityQueries.holders(ofSubject: "alice", app: Tables.app, limit: 9, in: tx)
            #expect(had.map(\.user) == [former] && had.map(\.until) == [Tables.moment + 5])
            #expect(
                try FormerIdentityQueries.holders(ofSubject: "alice", app: Tables.otherApp, limit: 9, in: tx).isEmpty)
            #expect(try MemberQueries.identity(.google, of: user, app: Tables.app, in: tx) == google)
            #expect(try MemberQueries.identity(.google, of: former, app: Tables.app, in: tx) == nil)
        }
    }

    @Test("A member's ledger is read in pages, newest first, and by who has acted", arguments: Engine.available)
    func timeline(engine: Engine) async throws {
        let user = MemberQueryTests.user
        let entries = (0..<4).map { second in
            LedgerEntry(
                id: Tables.id(at: Tables.moment + second), user: user, event: .kickedOut,
                origin: Origin(actor: second == 1 ? .operator : .player, door: .console), details: [:],
                date: (Tables.moment + second).milliseconds)
        }
        try await Tables.transact(engine) { tx in
            for entry in entries { try LedgerQueries.insert(entry, app: Tables.app, in: tx) }
            try LedgerQueries.insert(entries[0], app: Tables.otherApp, in: tx)
            let page = { (before: String?, actor: ActorKind?) in
                try LedgerQueries.entries(of: user, app: Tables.app, before: before, by: actor, limit: 3, in: tx)
            }
            #expect(try page(nil, nil) == [entries[3], entries[2], entries[1]])
            #expect(try page(entries[1].id, nil) == [entries[0]])
            #expect(try page(nil, .operator) == [entries[1]])
            #expect(try page(nil, .system).isEmpty)
            for kind in TimelineKind.allCases {
                let found = try LedgerQueries.entries(
                    of: user, app: Tables.app, before: nil, about: kind, limit: 9, in: tx)
                #expect(found.count == (kind == .sessions ? 4 : 0), "\(kind)")
            }
            let range = { (since: Int64?, until: Int64?) in
                try LedgerQueries.entries(
                    of: user, app: Tables.app, before: nil, since: since.map { Tables.moment + $0 },
                    until: until.map { Tables.moment + $0 }, limit: 9, in: tx)
            }
            #expect(try range(1, 3) == [entries[2], entries[1]])
            #expect(try range(3, nil) == [entries[3]] && range(nil, 1) == [entries[0]])
        }
    }
}
