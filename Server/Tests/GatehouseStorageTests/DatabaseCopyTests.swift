import Foundation
import GatehouseStorage
import Synchronization
import TestDatabases
import Testing

@Suite(.timeLimit(.minutes(10))) struct DatabaseCopyTests {
    private let migration = Migration(
        number: 1, name: "pairs",
        statements: [
            "CREATE TABLE one (id BIGINT PRIMARY KEY, filling TEXT NOT NULL)",
            "CREATE TABLE two (id BIGINT PRIMARY KEY, filling TEXT NOT NULL)",
        ])

    @Test(
        "REL-10: a copy that is made while others write is one moment of the database, and restored it is the same",
        arguments: Engine.available)
    func underLoad(engine: Engine) async throws {
        let filling = String(repeating: "x", count: 1_000)
        @Sendable func addPair(_ number: Int, to database: Database) async throws {
            try await database.transact { tx in
                try tx.execute("INSERT INTO one (id, filling) VALUES (\(number), \(filling))")
                try tx.execute("INSERT INTO two (id, filling) VALUES (\(number), \(filling))")
            }
        }
        try await withDatabase(engine, migrations: [migration]) { database, location in
            for number in 0..<2_000 { try await addPair(number, to: database) }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("copy-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("copy").path
            let hasBegun = Atomic(false)
            let isOver = Atomic(false)
            async let written = {
                var number = 2_000
                while !isOver.load(ordering: .acquiring) {
                    try await addPair(number, to: database)
                    number += 1
                    hasBegun.store(true, ordering: .releasing)
                }
                return number
            }()
            // The copy blocks its thread, and on a busy machine the writer would not get another.
            while !hasBegun.load(ordering: .acquiring) { await Task.yield() }
            let copied = Result { try DatabaseCopy.write(location, to: file) { _ in } }
            isOver.store(true, ordering: .releasing)
            let total = try await written
            #expect(try copied.get().migration == 1)
            #expect(total > 2_000)
            try await withLocation(engine) { other in
                let restored = try await DatabaseCopy.restore(file, to: other, replacing: false, known: 1) { _ in }
                #expect(restored == (try copied.get()))
                let counts = try await withOpen(other) { copy in
                    try await copy.read { tx in
                        try ["one", "two"].map { table in
                            try tx.first(SQL(stringLiteral: "SELECT COUNT(*) FROM \(table)")) { row in
                                try row[0] as Int
                            }
                        }
                    }
                }
                #expect(counts[0] == counts[1])
                #expect((2_000...total).contains(counts[0] ?? 0))
                // A copy that is newer than the program is refused before anything is changed.
                await #expect(throws: StorageError.schemaTooNew(found: 1, known: 0)) {
                    try await DatabaseCopy.restore(file, to: other, replacing: true, known: 0) { _ in }
                }
            }
        }
    }
}
