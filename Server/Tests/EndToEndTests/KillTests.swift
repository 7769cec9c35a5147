import Foundation
import Gatehouse
import GatehouseStorage
import GatehouseTesting
import Synchronization
import TestDatabases
import Testing

/// The short form of `make chaos`.
@Suite struct KillTests {
    @Test(
        "REL-1: a server that is killed in the middle of its work has kept every login that it acknowledged",
        .timeLimit(.minutes(3)), arguments: Engine.available)
    func killed(engine: Engine) async throws {
        try await withDatabaseURL(engine) { location in
            try await withFolder { folder in
                let database = ["--database", location, "--key-file", folder.appendingPathComponent("key").path]
                _ = try await Command.run(["app", "create", "game"] + database, in: folder)
                let acknowledged = Acknowledged()
                for round in [1, 2, 3] {
                    let server = try await ServingCommand.start(
                        ["serve"] + database, in: folder)
                    let url = try #require(URL(string: server.url))
                    await withTaskGroup(of: Void.self) { group in
                        for _ in 0..<8 {
                            group.addTask {
                                // One device after another, until the server is gone.
                                while !Task.isCancelled {
                                    let storage = MemoryStorage()
                                    let device = Self.device(storage, url)
                                    guard (try? await device.start()) != nil,
                                        let login = try? await device.logIn(with: .guest)
                                    else { return }
                                    let count = acknowledged.add(storage, login.member.userId)
                                    if count > round * 40 { server.command.signal(SIGKILL) }
                                }
                            }
                        }
                    }
                    #expect(await server.command.status() == 128 + SIGKILL)
                }
                let server = try await ServingCommand.start(
                    ["serve"] + database, in: folder)
                let url = try #require(URL(string: server.url))
                let all = acknowledged.all
                #expect(all.count > 120)
                for (storage, user) in all {
                    let device = Self.device(storage, url)
                    _ = try await device.start()
                    let login = try await device.logInWithLastProvider()
                    #expect(login.member.userId == user)
                }
                server.command.signal(SIGTERM)
                #expect(await server.command.status() == 0)
            }
        }
    }

    private final class Acknowledged: Sendable {
        private let players = Mutex<[(storage: MemoryStorage, user: UserID)]>([])

        var all: [(storage: MemoryStorage, user: UserID)] { players.withLock { $0 } }

        /// Returns how many there are now.
        func add(_ storage: MemoryStorage, _ user: UserID) -> Int {
            players.withLock { players in
                players.append((storage, user))
                return players.count
            }
        }
    }

    private static func device(_ storage: MemoryStorage, _ url: URL) -> Gatehouse {
        Gatehouse(Configuration(appID: "game", serverURL: url, storage: storage))
    }
}
