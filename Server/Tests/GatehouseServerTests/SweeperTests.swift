import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct SweeperTests {
    @Test("What is over is deleted in its time, and nothing else", arguments: Engine.available)
    func sweep(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let sweeper = Sweeper(services: try world.services())
            let leaver = TestDevice()
            let left = try await world.guest(leaver)
            _ = try await world.logOut(leaver, left.session.refreshToken)
            let stayer = TestDevice()
            let stayed = try await world.logIn(stayer, headers: ["Idempotency-Key": "a-key-of-this-test"])
            let token = try stayed.decoded(as: Login.self).session.refreshToken
            #expect(try await sweeper.sweep() == 0)
            #expect(try await Self.rows(world) == .init(proofs: 3, calls: 1, sessions: 2))

            // Proofs are deleted after minutes, on PostgreSQL with those of their hour; repeated calls after hours, ended sessions after
            // a month.
            world.clock.advance(seconds: 300)
            let deleted = engine == .sqlite ? 3 : 0
            #expect(try await sweeper.sweep() == deleted)
            #expect(try await Self.rows(world) == .init(proofs: 3 - deleted, calls: 1, sessions: 2))
            world.clock.advance(seconds: 2 * 3_600)
            _ = try await sweeper.sweep()
            #expect(try await Self.rows(world) == .init(proofs: 0, calls: 0, sessions: 2))
            world.clock.advance(seconds: 31 * 86_400)
            _ = try await sweeper.sweep()
            #expect(try await Self.rows(world).sessions == 1)
            #expect(try await world.logInWithLastProvider(stayer, token).status == 200)

            // A session at the end of its maximum lifetime is deleted, used or not; its member stays.
            world.clock.advance(seconds: 400 * 86_400)
            _ = try await sweeper.sweep()
            #expect(try await Self.rows(world).sessions == 0)
            #expect(try await world.logInWithLastProvider(stayer, token).code == 3102)
            #expect(try await world.rowCounts()[0] == 2)
        }
    }

    @Test(
        "The ledger is kept for the months of the setting, for ever without it, and the rest of the account stays",
        arguments: Engine.available)
    func history(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let sweeper = Sweeper(services: try world.services(), historyMonths: 2)
            let november = [try await world.guest(TestDevice()), try await world.guest(TestDevice())].map(
                \.member.userId)
            // The last second of January: November, December and January are kept.
            world.clock.advance(seconds: 72 * 86_400 - 1)
            try await sweeper.sweep()
            #expect(try await Self.history(of: november, in: world) == [1, 1])
            world.clock.advance(seconds: 1)
            let february = try await world.guest(TestDevice()).member.userId
            try await world.sweep()
            #expect(try await Self.history(of: november, in: world) == [1, 1])
            try await sweeper.sweep()
            #expect(try await Self.history(of: november + [february], in: world) == [0, 0, 1])
            #expect(try await world.rowCounts()[0] == 3)
        }
    }

    private static func history(of users: [UserID], in world: World) async throws -> [Int] {
        try await world.database.read { tx in
            try users.map { user in try LedgerQueries.entries(of: user, app: World.app, in: tx).count }
        }
    }

    @Test(
        "SES-7: sessions that nobody has used are deleted a month after their end, used ones stay",
        arguments: Engine.available)
    func idleSessions(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let sweeper = Sweeper(services: try world.services())
            let device = TestDevice()
            var used = try await world.guest(device)
            for _ in 0..<20 { _ = try await world.guest(TestDevice()) }
            world.clock.advance(seconds: 80 * 86_400)
            #expect(try await world.refresh(device, used.session.refreshToken).status == 200)
            // The session ended 29 days ago: an operator may still investigate it.
            world.clock.advance(seconds: 39 * 86_400)
            _ = try await sweeper.sweep()
            #expect(try await Self.rows(world).sessions == 21)
            world.clock.advance(seconds: 2 * 86_400)
            _ = try await sweeper.sweep()
            #expect(try await Self.rows(world).sessions == 1)
            #expect(try await world.logInWithLastProvider(device, used.session.refreshToken).status == 200)
            used = try await world.guest(device)
            #expect(try await Self.rows(world).sessions == 2)
        }
    }

    @Test("A transfer account that is over says so for a month, and is deleted then", arguments: Engine.available)
    func transferAccounts(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let account = try await world.issue(for: world.guestPlayer())
            world.clock.advance(seconds: 59 * 86_400)
            _ = try await world.sweep()
            #expect(try await world.redeem(account, on: TestDevice()).code == 3041)
            world.clock.advance(seconds: 2 * 86_400)
            _ = try await world.sweep()
            #expect(try await world.redeem(account, on: TestDevice()).code == 3043)
            #expect(try await world.count("SELECT COUNT(*) FROM transfer_accounts") == 0)
        }
    }

    @Test("Two nodes that sweep at once delete everything once", arguments: Engine.available)
    func together(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            for number in 0..<20 {
                _ = try await world.logIn(TestDevice(), headers: ["Idempotency-Key": "a-key-of-this-test-\(number)"])
            }
            world.clock.advance(seconds: 2 * 3_600)
            let other = try await Database.open(world.location, options: .patient)
            async let here = Sweeper(services: try world.services()).sweep()
            async let there = Sweeper(services: try world.services(other)).sweep()
            let rows = try await [here, there]
            await other.close()
            // Outcomes of calls are deleted one by one, proofs on SQLite only.
            #expect(rows.reduce(0, +) == (engine == .sqlite ? 40 : 20))
            #expect(try await Self.rows(world) == .init(proofs: 0, calls: 0, sessions: 20))
        }
    }

    @Test(
        "WITHDRAW-3: a member that can't be settled holds up nobody behind it, and is told of",
        arguments: Engine.available)
    func failingSettlement(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let broken = try await world.logIn(.google, "broken", accessToken: true)
            let others = try await [world.logIn(.google, "a", accessToken: true), world.guestPlayer()]
            for player in [broken] + others {
                world.clock.advance(seconds: 1)
                #expect(try await world.call(Endpoints.requestWithdrawal, Empty(), by: player).status == 200)
            }
            try await world.database.transact { tx in
                let wrong: [UInt8] = [1, 2, 3]
                try tx.execute("UPDATE identity_tokens SET sealed_tokens = \(wrong) WHERE user_id = \(broken.user)")
            }
            world.clock.advance(seconds: 30 * 86_400)
            let failures = Failures()
            let sweeper = Sweeper(services: try world.services()) { member, _ in
                failures.add(member.user)
            }
            _ = try await sweeper.sweep()
            #expect(failures.users == [broken.user])
            for player in others { #expect(try await world.report(player.user).member.status == .withdrawn) }
            #expect(try await world.report(broken.user).member.status == .pendingWithdrawal)
            // It is retried, and done once that is possible.
            try await world.database.transact { tx in
                try tx.execute("DELETE FROM identity_tokens WHERE user_id = \(broken.user)")
            }
            _ = try await sweeper.sweep()
            #expect(failures.users == [broken.user])
            #expect(try await world.report(broken.user).member.status == .withdrawn)
        }
    }

    private final class Failures: Sendable {
        private let list = Mutex<[UserID]>([])

        var users: [UserID] { list.withLock { $0 } }
        func add(_ user: UserID) { list.withLock { $0.append(user) } }
    }

    @Test(
        "Without its database a server lives, is not ready, and answers 503 with a time to come back",
        arguments: Engine.available)
    func outage(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let ready = TestCall(method: .get, path: "/health/ready")
            #expect(try await world.send(ready).status == 200)
            await world.database.close()
            world.clock.advance(seconds: 1)
            #expect(try await world.send(ready).status == 503)
            #expect(try await world.send(TestCall(method: .get, path: "/health/live")).status == 200)
            let login = try await world.logIn(TestDevice())
            #expect(login.status == 503)
            #expect(login.code == 8001)
            #expect(login.reason == "database_unavailable")
            #expect(login.headers[.retryAfter] != nil)
        }
    }

    @Test("However many ask whether the server is ready, the database is asked once a second")
    func pulse() async throws {
        let asked = Asked()
        let pulse = DatabasePulse(monotonicNanoseconds: { asked.time }) {
            if asked.add() == 2 { throw StorageError.conflict }
        }
        func fails(_ calls: Int) async -> [Bool] {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<calls { group.addTask { await pulse.failure() != nil } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(await fails(50).allSatisfy { !$0 } && asked.count == 1)
        asked.time = 999_999_999
        #expect(await fails(1) == [false] && asked.count == 1)
        asked.time = 1_000_000_000
        #expect(await fails(50).allSatisfy { $0 } && asked.count == 2)
        asked.time = 2_000_000_000
        #expect(await fails(2) == [false, false] && asked.count == 3)
    }

    private final class Asked: Sendable {
        private let state = Mutex<(time: UInt64, count: Int)>((0, 0))

        var time: UInt64 {
            get { state.withLock { $0.time } }
            set { state.withLock { $0.time = newValue } }
        }
        var count: Int { state.withLock { $0.count } }

        func add() -> Int {
            state.withLock { state in
                state.count += 1
                return state.count
            }
        }
    }

    private struct Rows: Equatable {
        var proofs: Int
        var calls: Int
        var sessions: Int
    }

    private static func rows(_ world: World) async throws -> Rows {
        try await world.database.read { tx in
            let count = { (sql: SQL) in try tx.first(sql) { row in try row[0] as Int } ?? -1 }
            return Rows(
                proofs: try count("SELECT COUNT(*) FROM spent_proofs"),
                calls: try count("SELECT COUNT(*) FROM idempotent_calls"),
                sessions: try count("SELECT COUNT(*) FROM sessions"))
        }
    }
}

extension World {
    /// The services of the server's own work.
    func services(_ database: Database? = nil) throws -> Services {
        Services(
            database: database ?? self.database, vault: try KeyVault(masterKey: Self.vaultKey),
            environment: clock.environment(idps), reporter: EventReporter(audit: audit.log))
    }

    /// Runs the server's periodic work.
    @discardableResult
    func sweep() async throws -> Int {
        try await Sweeper(services: services()).sweep()
    }
}
