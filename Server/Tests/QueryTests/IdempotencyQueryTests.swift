import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `idempotent_calls` and `dev_clock`.
@Suite struct IdempotencyQueryTests {
    private static func once(
        _ key: String = Tables.text, app: AppID = Tables.app, by owner: Idempotency.Owner = .gameServer,
        hash: [UInt8] = [1]
    ) -> CallIdentity {
        var once = CallIdentity()
        once.call = .init(app: app, key: key, requestHash: hash)
        once.owner = owner
        return once
    }

    private static func idempotency() throws -> Idempotency { Idempotency(vault: try Tables.change().vault) }

    private static func outcome(_ once: CallIdentity, in tx: Reader) throws -> String? {
        try idempotency().outcome(of: once, in: tx)
    }

    /// Calls that differ from the first in one part of their key.
    private static let calls = [
        once(), once("other"), once(app: Tables.otherApp), once(by: .device(KeyThumbprint("key"))),
        once(by: .session(KeyThumbprint("key"), SessionID("session"), MemberQueryTests.user)),
    ]

    @Test("Outcomes of one decision belong to their key, app and owner", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                for (number, once) in Self.calls.dropLast().enumerated() {
                    try Self.idempotency().keep("\(number) \(Tables.text)", of: once, at: Tables.moment, in: draft)
                }
            }
            let found = try await database.read { tx in
                try Self.calls.map { once in try Self.outcome(once, in: tx) }
            }
            #expect(found == (0..<4).map { "\($0) \(Tables.text)" } + [nil])
        }
    }

    @Test("A stored outcome is replaced for one call", arguments: Engine.available)
    func replace(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for once in Self.calls { try Self.idempotency().keep("old", of: once, at: Tables.moment, in: tx) }
            try Self.idempotency().replace("new", of: Self.calls[0], in: tx)
            let found = try Self.calls.map { once in try Self.outcome(once, in: tx) }
            #expect(found == ["new", "old", "old", "old", "old"])
        }
    }

    @Test("A key of another request is refused, and a call without a key is not kept", arguments: Engine.available)
    func requests(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.idempotency().keep("outcome", of: Self.once(), at: Tables.moment, in: tx)
            try Self.idempotency().keep("outcome", of: .never, at: Tables.moment, in: tx)
            #expect(try tx.count("idempotent_calls") == 1)
            #expect(throws: Refusal.self) { try Self.outcome(Self.once(hash: [2]), in: tx) }
            #expect(try Self.outcome(.never, in: tx) == nil)
        }
    }

    @Test("A second first call violates the constraint that the work knows", arguments: Engine.available)
    func taken(engine: Engine) async throws {
        let error = await #expect(throws: StorageError.self) {
            try await Tables.transact(engine) { tx in
                for _ in 0..<2 { try Self.idempotency().keep("outcome", of: Self.once(), at: Tables.moment, in: tx) }
            }
        }
        #expect(error?.violates(Idempotency.key) == true)
    }

    @Test("The development clock has one offset, which is zero at first", arguments: Engine.available)
    func devClock(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            #expect(try DevClockQueries.offsetSeconds(in: tx) == 0)
            for seconds in [5, .max, 7] as [Int64] { try DevClockQueries.set(seconds, in: tx) }
            #expect(try DevClockQueries.offsetSeconds(in: tx) == 7)
            #expect(try tx.count("dev_clock") == 1)
        }
    }
}
