import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `login_attempts`.
@Suite struct LoginAttemptQueryTests {
    private static let refusal = Refusal(.invalidParameter, "missed")

    private static func insert(_ id: String, app: AppID = Tables.app, until end: Int64 = 0, in tx: Draft) throws {
        let attempt = LoginAttemptRules.Attempt(
            id: id, app: app, provider: .google, deviceHash: Tables.bytes, status: .open, stateHash: [1],
            sealedPlan: [2, 0, 255], codeHash: nil, sealedIdentity: nil, expiresAt: Tables.moment + end)
        try LoginAttemptQueries.insert(attempt, in: tx)
    }

    private static func found(
        _ id: String, app: AppID = Tables.app, in tx: Reader
    ) throws -> LoginAttemptRules.Attempt? {
        try LoginAttemptQueries.attempt(id, app: app, in: tx)
    }

    @Test("Attempts of one decision are read back as they were inserted", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                try Self.insert(Tables.text, until: 5, in: draft)
                try Self.insert("other", app: Tables.otherApp, in: draft)
            }
            try await database.read { tx in
                let found = try #require(try Self.found(Tables.text, in: tx))
                #expect(found.app == Tables.app && found.provider == .google && found.deviceHash == Tables.bytes)
                #expect(found.status == .open && found.stateHash == [1] && found.sealedPlan == [2, 0, 255])
                #expect(found.codeHash == nil && found.sealedIdentity == nil && found.expiresAt == Tables.moment + 5)
                #expect(try Self.found("other", app: Tables.otherApp, in: tx)?.app == Tables.otherApp)
                #expect(try Self.found("other", in: tx) == nil)
                #expect(try Self.found("none", in: tx) == nil)
            }
        }
    }

    @Test("An id that is taken in the app is a conflict", arguments: Engine.available)
    func taken(engine: Engine) async throws {
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                try Self.insert("a", app: Tables.otherApp, in: tx)
                try Self.insert("a", in: tx)
                #expect(try Self.found("a", in: tx) != nil)
                try Self.insert("a", in: tx)
            }
        }
    }

    @Test("An attempt is verified after its return, and used once", arguments: Engine.available)
    func statuses(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for id in ["a", "b"] { try Self.insert(id, in: tx) }
            try LoginAttemptQueries.verify("a", app: Tables.app, identity: Tables.bytes, codeHash: [3], in: tx)
            #expect(try Self.found("a", in: tx)?.status == .open)
            try LoginAttemptQueries.move(
                "a", app: Tables.app, from: .open, to: .returned, ifMissed: Self.refusal, in: tx)
            try LoginAttemptQueries.move("a", app: Tables.app, from: .open, to: .failed, in: tx)
            try LoginAttemptQueries.verify("a", app: Tables.app, identity: Tables.bytes, codeHash: [3], in: tx)
            let verified = try Self.found("a", in: tx)
            #expect(
                verified?.status == .verified && verified?.sealedIdentity == Tables.bytes && verified?.codeHash == [3])
            try LoginAttemptQueries.use("a", app: Tables.app, ifMissed: Self.refusal, in: tx)
            #expect(try Self.found("a", in: tx)?.status == .used)
            let other = try Self.found("b", in: tx)
            #expect(other?.status == .open && other?.codeHash == nil)
        }
        await #expect(throws: Self.refusal) {
            try await Tables.transact(engine) { tx in
                try Self.insert("a", in: tx)
                try LoginAttemptQueries.use("a", app: Tables.app, ifMissed: Self.refusal, in: tx)
            }
        }
    }

    @Test("A test's result is stored with its end, and leaves no code", arguments: Engine.available)
    func shown(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for id in ["a", "b"] { try Self.insert(id, in: tx) }
            try LoginAttemptQueries.show(
                "a", app: Tables.app, result: Tables.bytes, until: Tables.moment + 9, from: .open, in: tx)
            let shown = try Self.found("a", in: tx)
            #expect(shown?.status == .used && shown?.sealedIdentity == Tables.bytes && shown?.codeHash == nil)
            #expect(shown?.expiresAt == Tables.moment + 9)
            try LoginAttemptQueries.show(
                "a", app: Tables.app, result: [1], until: Tables.moment, from: .returned, in: tx)
            #expect(try Self.found("a", in: tx)?.sealedIdentity == Tables.bytes)
            #expect(try Self.found("b", in: tx)?.sealedIdentity == nil)
        }
    }
}
