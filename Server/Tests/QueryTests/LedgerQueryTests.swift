import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `ledger`.
@Suite struct LedgerQueryTests {
    private static let user = MemberQueryTests.user
    private static let full = Origin(actor: .operator, door: .command, name: Tables.text, reason: Tables.text)

    private static func entry(
        _ seconds: Int64, of user: UserID = user, _ event: EventName = .banned, by origin: Origin = full,
        details: [String: String] = [:]
    ) -> LedgerEntry {
        LedgerEntry(
            id: Tables.id(at: Tables.moment + seconds), user: user, event: event, origin: origin, details: details,
            date: (Tables.moment + seconds).milliseconds)
    }

    @Test("Entries of one decision are read back as they were inserted, oldest first", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        let later = Self.entry(2, details: ["idp": Tables.text, "a": ""])
        let plain = Self.entry(1, EventName("new.event"), by: Origin(actor: .system, door: .clock))
        let neighbour = Self.entry(3, of: MemberQueryTests.neighbour)
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                for entry in [later, plain, neighbour] { try LedgerQueries.insert(entry, app: Tables.app, in: draft) }
                try LedgerQueries.insert(later, app: Tables.otherApp, in: draft)
            }
            try await database.read { tx throws in
                #expect(try LedgerQueries.entries(of: Self.user, app: Tables.app, in: tx) == [plain, later])
                #expect(try LedgerQueries.entries(of: Self.user, app: Tables.otherApp, in: tx) == [later])
            }
        }
    }

    @Test("An event keeps the name under which earlier versions have stored it", arguments: Engine.available)
    func names(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for (seconds, event) in [EventName.withdrawn, .banned, .kickedOut, .providerSignal].enumerated() {
                try LedgerQueries.insert(Self.entry(Int64(seconds), event), app: Tables.app, in: tx)
            }
            let stored = try tx.rows("SELECT event FROM ledger ORDER BY entry_id") { row in try row[0] as String }
            #expect(stored == ["withdrawal.done", "ban.begun", "sessions.kicked-out", "idp.signal"])
            #expect(
                try LedgerQueries.entries(of: Self.user, app: Tables.app, in: tx).map(\.event)
                    == [.withdrawn, .banned, .kickedOut, .providerSignal])
        }
    }

    @Test("Changes of a member's identities are newest first, since a moment", arguments: Engine.available)
    func identities(engine: Engine) async throws {
        let entries = [EventName.mappingMovedHere, .banned, .mappingRemoved, .memberRestored].enumerated().map {
            Self.entry(Int64($0.offset), $0.element)
        }
        try await Tables.transact(engine) { tx in
            for entry in entries { try LedgerQueries.insert(entry, app: Tables.app, in: tx) }
            try LedgerQueries.insert(entries[0], app: Tables.otherApp, in: tx)
            try LedgerQueries.insert(
                Self.entry(5, of: MemberQueryTests.neighbour, .mappingAdded), app: Tables.app, in: tx)
            let found = { (since: Int64, limit: Int) in
                try LedgerQueries.changesOfIdentities(
                    of: Self.user, app: Tables.app, since: Tables.moment + since, limit: limit, in: tx)
            }
            #expect(try found(0, 9) == [entries[3], entries[2], entries[0]])
            #expect(try found(1, 9) == [entries[3], entries[2]] && found(0, 1) == [entries[3]])
        }
    }

    /// Steps of withdrawals at the seconds 1 to 4, the third of them in the other app, and another event.
    private static func insertWithdrawals(in tx: Draft) throws {
        let events: [EventName] = [.withdrawalRequested, .withdrawalCancelled, .withdrawn, .withdrawn]
        for (seconds, event) in zip(Int64(1)..., events) {
            let app = seconds == 3 ? Tables.otherApp : Tables.app
            try LedgerQueries.insert(entry(seconds, event, details: ["n": "\(seconds)"]), app: app, in: tx)
        }
        try LedgerQueries.insert(entry(5, .banned), app: Tables.app, in: tx)
    }

    @Test("The steps of withdrawals are read over all apps, page after page", arguments: Engine.available)
    func steps(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertWithdrawals(in: tx)
            let page = { (after: String, limit: Int) in
                try LedgerQueries.withdrawals(after: after, limit: limit, in: tx)
            }
            let all = try page("", 9)
            #expect(all.map(\.app) == [Tables.app, Tables.app, Tables.otherApp, Tables.app])
            #expect(all.map(\.entry.event) == [.withdrawalRequested, .withdrawalCancelled, .withdrawn, .withdrawn])
            #expect(try page(all[1].entry.id, 1).map(\.entry) == [all[2].entry])
        }
    }

    @Test("Completed withdrawals of an app are newest first, and go on after an entry", arguments: Engine.available)
    func completed(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertWithdrawals(in: tx)
            try LedgerQueries.insert(Self.entry(6, .withdrawn), app: Tables.app, in: tx)
            let completed = { (last: String?, limit: Int) in
                try LedgerQueries.completedWithdrawals(of: Tables.app, before: last, limit: limit, in: tx)
            }
            let all = try completed(nil, 9)
            #expect(all.map(\.details) == [[:], ["n": "4"]])
            #expect(try completed(all[0].id, 9).map(\.id) == [all[1].id])
            #expect(try completed(nil, 1).map(\.id) == [all[0].id])
        }
    }

    @Test("An app's withdrawals are of one event, one kind and a period", arguments: Engine.available)
    func withdrawals(engine: Engine) async throws {
        let page = try Page(number: 0, size: 9, isDescending: true)
        try await Tables.transact(engine) { tx in
            try Self.insertWithdrawals(in: tx)
            let another = Self.entry(2, of: MemberQueryTests.neighbour, .withdrawn, details: ["n": "2"])
            try LedgerQueries.insert(another, app: Tables.app, in: tx)
            let withdrawals = { (details: [String: String]?, end: Int64) in
                try LedgerQueries.withdrawals(
                    of: Tables.app, event: .withdrawn, details: details,
                    in: Period(begin: Tables.moment + 2, end: Tables.moment + end), page, in: tx)
            }
            #expect(try withdrawals(nil, 4).elements.map(\.details) == [["n": "4"], ["n": "2"]])
            #expect(try withdrawals(["n": "4"], 4).elements.count == 1)
            #expect(try withdrawals(nil, 3).total == 1)
        }
    }
}
