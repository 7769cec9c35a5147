import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `counts`, and the members' active day.
@Suite struct CountQueryTests {
    private static func key(
        _ metric: Metric = .newMember, _ label: String = Tables.text, unit: Tally.Key.Unit = .hour,
        app: AppID = Tables.app, at seconds: Int64 = 0
    ) -> Tally.Key {
        Tally.Key(app: app, unit: unit, metric: metric, bucket: Tables.moment + seconds, label: label)
    }

    private static func counts(
        _ metric: Metric = .newMember, unit: Tally.Key.Unit = .hour, app: AppID = Tables.app,
        _ begin: Int64 = -999_999, _ end: Int64 = 999_999, in tx: Reader
    ) throws -> [CountQueries.Count] {
        try CountQueries.counts(
            of: app, unit, metric, from: Tables.moment + begin, until: Tables.moment + end, in: tx)
    }

    @Test("Amounts of one row are added up, and no other row is touched", arguments: Engine.available)
    func adding(engine: Engine) async throws {
        let others = [
            Self.key(.returningLogin), Self.key(.newMember, "b"), Self.key(unit: .day), Self.key(app: Tables.otherApp),
            Self.key(at: 3_600),
        ]
        try await Tables.open(engine) { database in
            for amount in [2, 3, -1] as [Int64] {
                try await database.transact { tx in try CountQueries.add(amount, to: Self.key(), in: tx) }
            }
            try await database.transact { tx in for key in others { try CountQueries.add(7, to: key, in: tx) } }
            try await database.read { tx in
                let found = try Self.counts(in: tx)
                #expect(
                    found.map(\.amount).sorted() == [4, 7, 7]
                        && found.last == .init(bucket: Tables.moment + 3_600, label: Tables.text, amount: 7))
                #expect(try Self.counts(.returningLogin, in: tx).map(\.amount) == [7])
                #expect(try Self.counts(unit: .day, in: tx).map(\.amount) == [7])
                #expect(try Self.counts(app: Tables.otherApp, in: tx).map(\.label) == [Tables.text])
            }
        }
    }

    @Test("A range has its first moment and not its last; a sum has all days before", arguments: Engine.available)
    func ranges(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for (at, amount) in [(0, 1), (10, 2), (20, 4)] as [(Int64, Int64)] {
                try CountQueries.add(amount, to: Self.key(.activeChange, "", unit: .day, at: at), in: tx)
            }
            try CountQueries.add(8, to: Self.key(.activeChange, "", unit: .day, app: Tables.otherApp), in: tx)
            #expect(try Self.counts(.activeChange, unit: .day, 0, 20, in: tx).map(\.amount) == [1, 2])
            for (end, sum) in [(0, 0), (20, 3), (21, 7)] as [(Int64, Int64)] {
                let found = try CountQueries.sum(of: Tables.app, .activeChange, before: Tables.moment + end, in: tx)
                #expect(found == sum)
            }
            #expect(try CountQueries.firstDay(of: Tables.app, .activeChange, in: tx) == Tables.moment)
            #expect(try CountQueries.firstDay(of: Tables.app, .newMember, in: tx) == nil)
        }
    }

    @Test("An active day is written to the day that was read", arguments: Engine.available)
    func activeDay(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            let account = try MemberQueryTests.account(in: tx)
            #expect(account.activeDay == Tables.moment.day)
            try MemberQueries.updateActiveDay(account, day: account.activeDay + 1, in: tx)
            #expect(try MemberQueryTests.account(in: tx).activeDay == account.activeDay + 1)
            #expect(try MemberQueryTests.account(app: Tables.otherApp, in: tx).activeDay == account.activeDay)
        }
        for late in [true, false] {
            await #expect(throws: StorageError.conflict) {
                try await Tables.transact(engine) { tx in
                    try MemberQueryTests.insertAll(in: tx)
                    var account = try MemberQueryTests.account(in: tx)
                    account.activeDay -= 1
                    if late {
                        try MemberQueries.updateActiveDay(account, day: account.activeDay + 1, in: tx)
                    } else {
                        try MemberQueries.updateLastLogin(
                            account, day: account.activeDay + 1, at: Tables.moment, in: tx)
                    }
                }
            }
        }
    }
}
