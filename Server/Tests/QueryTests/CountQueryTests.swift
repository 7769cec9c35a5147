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
            of: app, unit, [metric], from: Tables.moment + begin, until: Tables.moment + end, in: tx
        ).sorted { ($0.bucket, $0.label) < ($1.bucket, $1.label) }
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
                        && found.last
                            == .init(
                                metric: .newMember, bucket: Tables.moment + 3_600, label: Tables.text, amount: 7)
                )
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

    @Test(
        "Several metrics are read at once, and a label that was counted on any day is found",
        arguments: Engine.available)
    func metrics(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for (key, amount) in [
                (Self.key(unit: .day), 1), (Self.key(.returningLogin, "b", unit: .day), 2),
                (Self.key(.banBegun, "", unit: .day), 4), (Self.key(.guestLinked, "hour"), 8),
                (Self.key(.newMember, "other", unit: .day, app: Tables.otherApp), 16),
            ] as [(Tally.Key, Int64)] {
                try CountQueries.add(amount, to: key, in: tx)
            }
            let found = try CountQueries.counts(
                of: Tables.app, .day, [.newMember, .returningLogin, .guestLinked], from: Tables.moment,
                until: Tables.moment + 1, in: tx)
            #expect(Set(found.map(\.metric)) == [.newMember, .returningLogin])
            #expect(found.map(\.amount).sorted() == [1, 2])
            let has = { (label: String, metrics: [Metric]) in
                try CountQueries.hasCounted(metrics, label: label, of: Tables.app, in: tx)
            }
            #expect(try has("b", [.newMember, .returningLogin]) && !has("b", [.newMember]))
            #expect(try !has("hour", [.guestLinked]) && !has("other", [.newMember]))
        }
    }

    @Test("The sum of a period of days stands at its first, and some days stand alone", arguments: Engine.available)
    func periods(engine: Engine) async throws {
        let day: Int64 = 86_400
        try await Tables.transact(engine) { tx in
            // Amounts that add up in one way only.
            for number in Int64(0)..<8 {
                let key = Self.key(.newMember, number == 2 ? "b" : "a", unit: .day, at: number * day)
                try CountQueries.add(1 << number, to: key, in: tx)
            }
            try CountQueries.add(1_000, to: Self.key(.banBegun, "a", unit: .day), in: tx)
            let found = try CountQueries.sums(
                of: Tables.app, [.newMember], every: 3, but: (Tables.moment + 4 * day, Tables.moment + 6 * day),
                from: Tables.moment, until: Tables.moment + 7 * day, in: tx)
            let sums: [Int64] = found.map { count in
                (count.bucket.milliseconds - Tables.moment.milliseconds) / 1_000 / day * 1_000 + count.amount
            }
            // The days 0 and 1, 2 with its label, 3 and 5, 4, and 6.
            let expected: [Int64] = [3, 4, 3_040, 4_016, 6_064]
            #expect(sums.sorted() == expected)
            #expect(found.first { $0.amount == 4 }?.label == "b")
        }
    }

    @Test("The sums of all apps are read at once, each app's for itself", arguments: Engine.available)
    func sumsOfApps(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for (key, amount) in [
                (Self.key(unit: .day), 1), (Self.key(.newMember, "b", unit: .day), 2),
                (Self.key(unit: .day, app: Tables.otherApp), 4), (Self.key(unit: .day, at: 86_400), 8),
                (Self.key(unit: .day, at: -86_400), 16), (Self.key(.returningLogin, unit: .day), 32), (Self.key(), 64),
            ] as [(Tally.Key, Int64)] {
                try CountQueries.add(amount, to: key, in: tx)
            }
            let sums = try CountQueries.sumsOfApps(.day, .newMember, from: Tables.moment, in: tx)
            #expect(sums[Tables.app]?.map(\.amount).sorted() == [3, 8])
            #expect(sums[Tables.otherApp]?.map(\.amount) == [4] && sums.count == 2)
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
