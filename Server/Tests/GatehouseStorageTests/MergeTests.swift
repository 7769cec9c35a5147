import GatehouseStorage
import Synchronization
import TestDatabases
import Testing

/// Merged statements have the effect of the same statements one by one, and callers share commits.
@Suite struct MergeTests {
    private struct Missed: Error {}

    /// One write of random data. Each of a round's writes is a decision of its own, so that each may come before or after the others:
    /// the writes of a round are made to give the same result in every order.
    private enum Step: Sendable {
        case insert(Int, Int?, String?, [UInt8]?)
        case add(to: Int, Int)
        case addToGroup(Int, Int, below: Int)
        case mustAdd(to: Int, Int)
        case delete(Int)
        case deleteGroup(Int, text: String?)

        func run(in draft: Draft) throws {
            switch self {
            case .insert(let id, let n, let text, let bytes):
                try draft.insert(into: "items", ["id": id, "part": id % 7, "n": n, "t": text, "b": bytes])
            case .add(let id, let n):
                try draft.update("items", set: "n = COALESCE(n, 0) + \(n), part = part", where: ["id": id])
            case .addToGroup(let part, let n, let limit):
                try draft.update(
                    "items", set: "n = COALESCE(n, 0) + \(n)", where: ["part": part], and: "id < \(limit) OR id < 0")
            case .mustAdd(let id, let n):
                try draft.update("items", set: "n = COALESCE(n, 0) + \(n)", where: ["id": id], ifMissed: Missed())
            case .delete(let id):
                try draft.delete(from: "items", where: ["id": id])
            case .deleteGroup(let part, let text):
                try draft.delete(from: "items", where: ["part": part], and: "t = \(text)")
            }
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static func rounds(seed: UInt64) -> [[Step]] {
        var random = Generator(state: seed)
        var next = 0
        let texts = [nil, "", "a", "WHERE", "VALUES (", "$1", "'; --", "\u{1F600}"]
        return (0..<12).map { round in
            (0..<40).map { _ in
                switch round % 6 {
                case 0:
                    next += 1
                    return .insert(
                        next, Bool.random(using: &random) ? Int.random(in: -9...9, using: &random) : nil,
                        texts.randomElement(using: &random) ?? nil,
                        Bool.random(using: &random) ? [UInt8.random(in: 0...255, using: &random)] : nil)
                case 1:
                    return .add(
                        to: Int.random(in: 1...next + 5, using: &random), Int.random(in: -99...99, using: &random))
                case 2:
                    return .addToGroup(
                        Int.random(in: 0...8, using: &random), Int.random(in: -99...99, using: &random),
                        below: Int.random(in: 1...next, using: &random))
                case 3:
                    return .mustAdd(
                        to: Int.random(in: 1...next + 5, using: &random), Int.random(in: -99...99, using: &random))
                case 4: return .delete(Int.random(in: 1...next + 5, using: &random))
                default:
                    return .deleteGroup(
                        Int.random(in: 0...8, using: &random), text: texts.randomElement(using: &random) ?? nil)
                }
            }
        }
    }

    /// Runs the rounds and returns the content of the table, and which of the writes have missed.
    private func content(
        _ engine: Engine, _ rounds: [[Step]], together: Bool
    ) async throws -> (rows: [String], missed: [[Bool]], batches: Int) {
        let batches = Mutex(0)
        var events = StorageEvents()
        events.committed = { writes in if writes > 1 { batches.withLock { $0 += 1 } } }
        return try await withLocation(engine) { location in
            var options = DatabaseOptions.patient
            options.connections = 1
            let database = try await Database.open(location, options: options, events: events)
            try await database.migrate(.missedRows)
            try await database.transact { tx in
                try tx.execute(
                    "CREATE TABLE items (id BIGINT PRIMARY KEY, part BIGINT NOT NULL, n BIGINT, t TEXT, b \(.bytes))")
            }
            var missed: [[Bool]] = []
            for round in rounds {
                missed.append(try await together ? self.together(round, database) : oneByOne(round, database))
            }
            let rows = try await database.rows("SELECT id, part, n, t, b FROM items ORDER BY id") { row in
                try "\(row[0] as Int)|\(row[1] as Int)|\(row[2] as Int?)|\(row[3] as String?)|\(row[4] as [UInt8]?)"
            }
            await database.close()
            return (rows, missed, batches.withLock { $0 })
        }
    }

    private func oneByOne(_ round: [Step], _ database: Database) async throws -> [Bool] {
        var missed: [Bool] = []
        for step in round { missed.append(try await Self.isMissed(step, database)) }
        return missed
    }

    private func together(_ round: [Step], _ database: Database) async throws -> [Bool] {
        let hold = Hold()
        async let held: Void = database.decide { _ in hold.wait() }
        try await hold.reached()
        let missed = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for (index, step) in round.enumerated() {
                group.addTask { (index, try await Self.isMissed(step, database)) }
            }
            while database.waiting.writes < round.count { try await Task.sleep(for: .milliseconds(1)) }
            hold.open()
            return try await group.reduce(into: Array(repeating: false, count: round.count)) { $0[$1.0] = $1.1 }
        }
        try await held
        return missed
    }

    private static func isMissed(_ step: Step, _ database: Database) async throws -> Bool {
        do {
            try await database.decide { draft in try step.run(in: draft) }
            return false
        } catch is Missed {
            return true
        }
    }

    @Test(
        "Every form of write gives merged what it gives one by one, with random data",
        arguments: Engine.available, [1, 2, 3] as [UInt64])
    func random(engine: Engine, seed: UInt64) async throws {
        let rounds = Self.rounds(seed: seed)
        let one = try await content(engine, rounds, together: false)
        let all = try await content(engine, rounds, together: true)
        #expect(all.batches > 0)
        #expect(one.rows == all.rows)
        #expect(one.missed == all.missed)
        #expect(one.missed.contains { $0.contains(true) })
    }

    @Test("Reads of several callers, merged, give each its own rows in its own order", arguments: Engine.available)
    func reads(engine: Engine) async throws {
        var options = DatabaseOptions.patient
        options.connections = 1
        try await withDatabase(engine, options: options) { database, _ in
            try await database.transact { tx in
                try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, part BIGINT NOT NULL, t TEXT)")
                for id in 0..<60 {
                    let text = id % 2 == 0 ? nil : "WHERE $1 VALUES (\(id)"
                    try tx.execute("INSERT INTO items VALUES (\(id), \(id % 5), \(text))")
                }
            }
            let hold = Hold()
            async let held: Void = database.decide { _ in hold.wait() }
            try await hold.reached()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        let found = try await database.rows(
                            "SELECT id FROM items WHERE part = \(number) ORDER BY id DESC LIMIT \(4)"
                        ) { row in try row[0] as Int }
                        let expected = (0..<60).filter { $0 % 5 == number }.reversed().prefix(4)
                        return found == Array(expected)
                    }
                    group.addTask {
                        let found = try await database.rows(
                            """
                            WITH asked (part, name) AS MATERIALIZED (
                                SELECT CAST(\(number % 5) AS BIGINT), v.column1 FROM (VALUES \(rows: ["1", "3", "9"])) AS v)
                            SELECT i.id, i.t FROM asked a JOIN items i ON i.part = a.part AND CAST(i.id AS TEXT) = a.name
                            ORDER BY i.id
                            """
                        ) { row in try row[0] as Int }
                        return found == [1, 3, 9].filter { $0 % 5 == number % 5 }
                    }
                    group.addTask {
                        let text = number % 2 == 0 ? nil : "WHERE $1 VALUES (\(number)"
                        let found = try await database.rows("SELECT id FROM items WHERE t = \(text)") { row in
                            try row[0] as Int
                        }
                        return found == (text == nil ? [] : [number])
                    }
                }
                hold.open()
                for try await isRight in group { #expect(isRight) }
            }
            try await held
        }
    }

    @Test("Writes of one body are made in order, also about the same row", arguments: Engine.available)
    func order(engine: Engine) async throws {
        try await withDatabase(engine, migrations: .missedRows, options: .patient) { database, _ in
            try await database.transact { tx in
                try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")
                for id in 0..<30 { try tx.execute("INSERT INTO items VALUES (\(id), \(0))") }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 0..<30 {
                    group.addTask {
                        try await database.decide { draft in
                            for step in 0..<3 {
                                try draft.update(
                                    "items", set: "n = \(step + 1)", where: ["id": id], and: "n = \(step)",
                                    ifMissed: Missed())
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let values = try await database.rows("SELECT DISTINCT n FROM items") { row in try row[0] as Int }
            #expect(values == [3])
        }
    }
}
