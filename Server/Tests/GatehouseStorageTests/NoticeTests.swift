import GatehouseStorage
import Synchronization
import TestDatabases
import Testing

@Suite struct NoticeTests {
    @Test("LOG-2: what PostgreSQL tells beside its answers is handed over, with the words for warnings apart")
    func notices() async throws {
        guard Engine.available.contains(.postgresql) else { return }
        let told = PendingEvents()
        var events = StorageEvents()
        events.noticed = { message, isWarning in told.add("\(isWarning ? "warning" : "notice"): \(message)") }
        try await withLocation(.postgresql) { location in
            let database = try await Database.open(location, events: events)
            do {
                for _ in 0..<2 {
                    try await database.transact { tx in
                        try tx.execute("CREATE TABLE IF NOT EXISTS one (id BIGINT PRIMARY KEY)")
                    }
                }
                try await database.transact { tx in
                    try tx.execute("DO $$ BEGIN RAISE WARNING 'look here' USING DETAIL = 'a value'; END $$")
                }
                await database.close()
            } catch {
                await database.close()
                throw error
            }
        }
        #expect(told.all == ["notice: relation \"one\" already exists, skipping", "warning: look here"])
    }

    private final class PendingEvents: Sendable {
        private let messages = Mutex<[String]>([])

        var all: [String] { messages.withLock { $0 } }
        func add(_ message: String) { messages.withLock { $0.append(message) } }
    }
}
