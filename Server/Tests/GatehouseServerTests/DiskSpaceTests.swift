import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseStorage
import TestDatabases
import Testing

@testable import GatehouseServer

/// The room on the database's disk.
@Suite struct DiskSpaceTests {
    @Test("The system says how much room there is on the disk of a file, and nothing of a file that is not there")
    func system() throws {
        let disk = try #require(DiskSpace.ofDisk(with: #filePath))
        #expect(disk.total > 0 && disk.free <= disk.total)
        #expect(DiskSpace.ofDisk(with: "\(#filePath)/none") == nil)
    }

    @Test("A SQLite database has a file, and another one has none", arguments: Engine.ofDoors)
    func file(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            #expect((server.database.filePath != nil) == (engine == .sqlite))
            #expect(server.database.asked(by: "kim").filePath == server.database.filePath)
        }
        let memory = try await Database.open(try DatabaseLocation("sqlite::memory:"))
        #expect(memory.filePath == nil)
        await memory.close()
    }
}
