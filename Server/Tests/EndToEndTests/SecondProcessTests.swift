import Foundation
import GatehouseCore
import GatehouseServer
import GatehouseStorage
import TestDatabases
import Testing

@Suite(.timeLimit(.minutes(10))) struct SecondProcessTests {
    /// SQLite's locks belong to the process and end when it closes any descriptor of the file. Then another process believes that it is
    /// the last one, and removes the write-ahead log when it ends.
    @Test(
        "Other processes that open and close a running server's database leave its write-ahead log alone")
    func writeAheadLog() async throws {
        try await withFolder { folder in
            let path = folder.appendingPathComponent("gatehouse.db").path
            let location = try DatabaseLocation("sqlite:\(path)")
            let first = try await Database.open(location)
            try await first.migrate(Migration.all)
            await first.close()
            let database = try await Database.open(location)
            try await database.ping()
            func log() throws -> Int {
                try #require(
                    FileManager.default.attributesOfItem(atPath: path + "-wal")[.systemFileNumber] as? Int)
            }
            let before = try log()
            for name in ["one", "two", "three"] {
                let made = try await Command.run(["app", "create", name, "--database", "sqlite:\(path)"], in: folder)
                #expect(made.status == 0)
                let looked = try await Command.run(
                    [path, "SELECT COUNT(*) FROM apps"], in: folder, executable: "sqlite3")
                #expect(looked.status == 0)
                #expect(try log() == before, "the write-ahead log was replaced under the server's feet")
                let apps = try await database.read { tx in
                    try tx.rows("SELECT app_id FROM apps") { row in try row[0] as String }
                }
                #expect(apps.contains(name))
                try await database.transact { tx in
                    try tx.execute("UPDATE apps SET name = \("renamed") WHERE app_id = \(name)")
                }
            }
            await database.close()
            let again = try await Database.open(location)
            let names = try await again.read { tx in
                try tx.rows("SELECT name FROM apps") { row in try row[0] as String }
            }
            #expect(names == ["renamed", "renamed", "renamed"])
            let integrity = try await again.read { tx in
                try tx.rows("PRAGMA integrity_check") { row in try row[0] as String }
            }
            #expect(integrity == ["ok"])
            await again.close()
        }
    }
}
