import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `transfer_attempts` and `wrong_transfers`.
@Suite struct TransferAttemptQueryTests {
    private static let (device, otherDevice) = (KeyThumbprint(Tables.text), KeyThumbprint("other"))

    private static var policy: TransferPolicy {
        var policy = TransferPolicy()
        (policy.attempts, policy.blockSeconds) = (2, 60)
        return policy
    }

    private static func count(
        by device: KeyThumbprint = device, app: AppID = Tables.app, at seconds: Int64 = 0, in tx: Transaction
    ) throws {
        let change = try Tables.change(app: app, at: Tables.moment + seconds)
        try TransferAttempts.count("id", by: device, policy, change, in: tx)
    }

    @Test("A device is blocked in its app after the last attempt, until the block ends", arguments: Engine.available)
    func block(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.count(in: tx)
            try Self.count(in: tx)
            #expect(throws: Refusal.self) { try Self.count(at: 59, in: tx) }
            try Self.count(by: Self.otherDevice, at: 59, in: tx)
            try Self.count(app: Tables.otherApp, at: 59, in: tx)
            try Self.count(at: 60, in: tx)
            #expect(try tx.count("transfer_attempts WHERE failed_attempts = 1 AND blocked_until IS NULL") == 3)
        }
    }

    @Test("A device's success forgets its attempts in that app", arguments: Engine.available)
    func succeed(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.count(in: tx)
            try Self.count(by: Self.otherDevice, in: tx)
            try Self.count(app: Tables.otherApp, in: tx)
            try TransferAttempts.succeed(Self.device, try Tables.change(), in: tx)
            #expect(try tx.count("transfer_attempts WHERE app_id = \(Tables.app)") == 1)
            #expect(try tx.count("transfer_attempts") == 2)
        }
    }

    /// A change of an app that allows two wrong guesses in an hour.
    private static func strict(_ app: AppID = Tables.app, at seconds: Int64 = 0) throws -> Change {
        var app = Tables.plainApp(app)
        app.limits.wrongTransfersPerHour = 2
        let plain = try Tables.change()
        return Change(
            CallContext(app: app, moment: Tables.moment + seconds), by: plain.origin, random: .live, vault: plain.vault)
    }

    @Test("Wrong guesses are counted by app, kind and hour", arguments: Engine.available)
    func guesses(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for _ in 0..<2 {
                try WrongTransfers.requireRoom(.account, try Self.strict(), in: tx)
                try WrongTransfers.count(.account, try Self.strict(), in: tx)
            }
            #expect(throws: Refusal.self) {
                try WrongTransfers.requireRoom(.account, try Self.strict(at: 3_599), in: tx)
            }
            try WrongTransfers.requireRoom(.key, try Self.strict(), in: tx)
            try WrongTransfers.requireRoom(.account, try Self.strict(Tables.otherApp), in: tx)
            try WrongTransfers.requireRoom(.account, try Self.strict(at: 3_600), in: tx)
            #expect(try tx.count("wrong_transfers WHERE guesses = 2") == 1)
        }
    }
}
