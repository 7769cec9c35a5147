import GatehouseStorage
import TestDatabases
import Testing

/// A failed write is told by the constraint that it means, and by no other.
@Suite struct ConstraintTests {
    private struct Taken: Error {}
    private struct NameTaken: Error {}
    private struct Missed: Error {}

    private static let key = UniqueConstraint.primaryKey(of: "people", "region", "id")
    private static let name = UniqueConstraint("people_one_name", on: "people", "name", "region")

    private func withPeople(_ engine: Engine, _ test: (Database) async throws -> Void) async throws {
        try await withDatabase(engine, migrations: .missedRows, options: .patient) { database, _ in
            try await database.transact { tx in
                try tx.execute(
                    """
                    CREATE TABLE people (
                        id BIGINT NOT NULL, region TEXT NOT NULL, name TEXT NOT NULL, age BIGINT CHECK (age >= 0),
                        PRIMARY KEY (region, id), CONSTRAINT people_one_name UNIQUE (name, region))\(.clustered)
                    """)
                try tx.execute("INSERT INTO people (id, region, name) VALUES (\(1), \("kr"), \("Ann"))")
            }
            try await test(database)
        }
    }

    private static func insert(_ id: Int, _ name: String, in draft: Draft) throws {
        try draft.insert(
            into: "people", ["id": id, "region": "kr", "name": name],
            ifTaken: [Self.key: Taken(), Self.name: NameTaken()])
    }

    @Test("Each constraint of a table has its own error", arguments: Engine.available)
    func each(engine: Engine) async throws {
        try await withPeople(engine) { database in
            await #expect(throws: Taken.self) { try await database.decide { try Self.insert(1, "Bob", in: $0) } }
            await #expect(throws: NameTaken.self) { try await database.decide { try Self.insert(2, "Ann", in: $0) } }
            await #expect(throws: Taken.self) { try await database.transact { try Self.insert(1, "Bob", in: $0) } }
            await #expect(throws: NameTaken.self) { try await database.transact { try Self.insert(2, "Ann", in: $0) } }
            try await database.decide { try Self.insert(2, "Bob", in: $0) }
        }
    }

    @Test("The violation of a constraint that was not named is an error that names it", arguments: Engine.available)
    func unnamed(engine: Engine) async throws {
        try await withPeople(engine) { database in
            let expected = engine == .sqlite ? Self.name.columns : Self.name.name
            await #expect(throws: StorageError.duplicate(expected)) {
                try await database.decide { draft in
                    try draft.insert(
                        into: "people", ["id": 2, "region": "kr", "name": "Ann"], ifTaken: [Self.key: Taken()])
                }
            }
        }
    }

    @Test("A check that fails is no duplicate and no missed row", arguments: Engine.available)
    func check(engine: Engine) async throws {
        try await withPeople(engine) { database in
            await #expect {
                try await database.decide { draft in
                    try draft.update("people", set: "age = \(-1)", where: ["id": 1], ifMissed: Missed())
                }
            } throws: { error in
                if case .constraintViolated? = error as? StorageError { true } else { false }
            }
        }
    }

    @Test("A division by zero in a statement that must change a row stays an error", arguments: Engine.available)
    func divisionByZero(engine: Engine) async throws {
        try await withPeople(engine) { database in
            let work: @Sendable (Draft) throws -> Void = { draft in
                try draft.update("people", set: "age = 1 / \(0)", where: ["id": 1], ifMissed: Missed())
            }
            if engine == .postgresql {
                await #expect {
                    try await database.decide(work)
                } throws: { error in
                    if case .failed("22012", _)? = error as? StorageError { true } else { false }
                }
            } else {
                // SQLite divides to NULL.
                try await database.decide(work)
            }
        }
    }

    @Test("A missed row is told, whether the verb is alone or in a batch", arguments: Engine.available)
    func missed(engine: Engine) async throws {
        try await withPeople(engine) { database in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for id in 1...40 {
                    group.addTask {
                        do {
                            try await database.decide { draft in
                                try draft.update(
                                    "people", set: "age = \(id)", where: ["id": id, "region": "kr"], ifMissed: Missed())
                            }
                            return id == 1
                        } catch is Missed {
                            return id > 1
                        }
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
            let left = try await database.rows("SELECT COUNT(*) FROM missed_rows") { row in try row[0] as Int }
            #expect(left == [0])
        }
    }
}
