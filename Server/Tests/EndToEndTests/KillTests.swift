import FakeProviders
import Foundation
import Gatehouse
import GatehouseStorage
import GatehouseTesting
import HummingbirdTesting
import Logging
import Synchronization
import TestDatabases
import Testing

/// The short form of `make chaos`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct KillTests {
    @Test(
        "REL-1: a server that is killed in the middle of its work has kept every login that it acknowledged",
        arguments: Engine.available)
    func killed(engine: Engine) async throws {
        try await withDatabaseURL(engine) { location in
            try await withFolder { folder in
                let database = ["--database", location, "--key-file", folder.appendingPathComponent("key").path]
                _ = try await Command.createApp("game", database, in: folder)
                let acknowledged = Acknowledged()
                for round in [1, 2, 3] {
                    let server = try await ServingCommand.start(
                        ["serve"] + database, in: folder)
                    let url = try #require(URL(string: server.url))
                    await withTaskGroup(of: Void.self) { group in
                        for _ in 0..<8 {
                            group.addTask {
                                // Devices log in one after another, until the server is killed.
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
                    // A device stops after a failed call. The last one may have stopped before it could kill the server.
                    server.command.signal(SIGKILL)
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

    @Test(
        "LNK-3, WDR-1: a server that is killed amid changes of accounts leaves each of them whole, or as it was",
        arguments: Engine.available)
    func accounts(engine: Engine) async throws {
        let idps = FakeProviders(
            origin: "http://127.0.0.1:1", key: try FakeSigningKey(), nowSeconds: { Int64(Date().timeIntervalSince1970) }
        )
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let provider = FakeProviderServer(providers: idps, logger: logger).application(port: 0)
        try await withDatabaseURL(engine) { location in
            try await withFolder { folder in
                let database = ["--database", location, "--key-file", folder.appendingPathComponent("key").path]
                _ = try await Command.createApp("game", database, in: folder)
                _ = try await Command.run(["app", "transfer", "game", "--on"] + database, in: folder)
                try await provider.test(.live) { _ in
                    for name in [Provider.google, .apple] {
                        _ = try await Command.run(
                            [
                                "idp", "set", name.rawValue, "--app", "game", "--client-id", idps.clientID(of: name),
                                "--fake-world", idps.origin,
                            ] + database, in: folder)
                    }
                    let done = Lives()
                    for round in [1, 2, 3] {
                        let server = try await ServingCommand.start(
                            ["serve", "--allow-local-providers", "true"] + database, in: folder)
                        let url = try URL(string: server.url).unwrapped()
                        await withTaskGroup(of: Void.self) { group in
                            for task in 0..<6 {
                                group.addTask {
                                    while true {
                                        let life = Life(url: url, idps: idps, name: "\(task)-\(done.begin())")
                                        // A life ends early with its server, and where the server is busy with hashes.
                                        if let user = try? await life.run() { done.end(user) }
                                        if done.withdrawn.count >= round * 6 { return server.command.signal(SIGKILL) }
                                    }
                                }
                            }
                        }
                        server.command.signal(SIGKILL)
                        #expect(await server.command.status() == 128 + SIGKILL)
                    }
                    let withdrawn = done.withdrawn
                    #expect(withdrawn.count > 15)
                    try await Self.expectWhole(location, withdrawn: withdrawn)
                }
            }
        }
    }

    /// The number of lives that have begun, and the members withdrawn at the end of one.
    private final class Lives: Sendable {
        private let state = Mutex<(begun: Int, withdrawn: [UserID])>((0, []))

        var withdrawn: [UserID] { state.withLock { $0.withdrawn } }
        func end(_ user: UserID) { state.withLock { $0.withdrawn.append(user) } }
        func begin() -> Int {
            state.withLock { state in
                state.begun += 1
                return state.begun
            }
        }
    }

    /// The events of two accounts, from the first guest to the last withdrawal.
    private struct Life {
        let url: URL
        let idps: FakeProviders
        let name: String

        /// Returns the withdrawn member.
        func run() async throws -> UserID {
            // Each device gets a separate token, because one that another device has used is refused.
            let google = { try Credential(provider: .google, idToken: idps.idToken(.google, for: name)) }
            let apple = Credential(provider: .apple, idToken: try idps.idToken(.apple, for: name))
            let old = KillTests.device(MemoryStorage(), url)
            try await old.start()
            _ = try await old.logIn(with: google())
            let guest = KillTests.device(MemoryStorage(), url)
            try await guest.start()
            _ = try await guest.logIn(with: .guest)
            let account = try await guest.issueTransferAccount()
            let phone = KillTests.device(MemoryStorage(), url)
            try await phone.start()
            _ = try await phone.logIn(with: .guest)
            _ = try await phone.redeemTransferAccount(id: account.id, password: account.password.unwrapped())
            let conflicting = try google()
            do {
                _ = try await phone.addMapping(conflicting)
            } catch {
                _ = try await phone.addMapping(forcing: error.forcingMappingTicket.unwrapped())
            }
            _ = try await phone.addMapping(apple)
            _ = try await phone.removeMapping(.apple)
            let user = try phone.userID.unwrapped()
            try await phone.withdraw()
            return user
        }
    }

    private static func expectWhole(_ location: String, withdrawn: [UserID]) async throws {
        let (members, identities, events) = try await withOpen(DatabaseLocation(location)) { database in
            let members = try await database.rows("SELECT user_id, status FROM members") { row in
                (user: try row[0] as String, status: try row[1] as String)
            }
            let identities = try await database.rows("SELECT user_id, idp FROM identities") { row in
                (user: try row[0] as String, idp: try row[1] as String)
            }
            let events = try await database.rows("SELECT user_id, event FROM ledger") { row in
                "\(try row[0] as String) \(try row[1] as String)"
            }
            return (members, identities, events)
        }
        let statuses = Dictionary(uniqueKeysWithValues: members.map { ($0.user, $0.status) })
        for user in withdrawn { #expect(statuses[user.rawValue] == "D") }
        let providers = Dictionary(grouping: identities, by: \.user).mapValues { $0.map(\.idp) }
        for (user, status) in members {
            let own = providers[user] ?? []
            #expect(own.isEmpty == ["D", "M"].contains(status), "\(user) is \(status) with \(own)")
            #expect(!own.contains("guest") || own.count == 1)
            // A change and its ledger entry are one transaction.
            #expect(events.contains("\(user) member.created"))
            #expect(events.count { $0 == "\(user) withdrawal.done" } == (status == "D" ? 1 : 0))
            #expect(events.contains("\(user) member.frozen") == (status == "M"))
        }
    }

    private final class Acknowledged: Sendable {
        private let players = Mutex<[(storage: MemoryStorage, user: UserID)]>([])

        var all: [(storage: MemoryStorage, user: UserID)] { players.withLock { $0 } }

        /// Returns the current number.
        func add(_ storage: MemoryStorage, _ user: UserID) -> Int {
            players.withLock { players in
                players.append((storage, user))
                return players.count
            }
        }
    }

    fileprivate static func device(_ storage: MemoryStorage, _ url: URL) -> GatehouseClient {
        var configuration = LiveServer.configuration(url, storage)
        // A killed server does not answer a retry.
        configuration.retries = 0
        return GatehouseClient(configuration)
    }
}
