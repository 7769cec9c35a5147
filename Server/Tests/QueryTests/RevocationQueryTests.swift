import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `revocations`.
@Suite struct RevocationQueryTests {
    private static let ofSession = Revocation(
        userId: UserID(Tables.text), sessionId: SessionID("session"), provider: nil, generation: nil,
        reason: .loggedOut,
        revokedAt: .max)
    private static let ofGeneration = Revocation(
        userId: MemberQueryTests.user, sessionId: nil, provider: Provider("ido"), generation: .min,
        reason: ErrorReason("new-reason"),
        revokedAt: 0)

    private static func id(_ seconds: Int64) -> String { Tables.id(at: Tables.moment + seconds) }

    private static func ids(of app: AppID = Tables.app, after id: String = "", limit: Int = 9, in tx: Reader) throws
        -> [String]
    {
        try RevocationQueries.revocations(of: app, after: id, limit: limit, in: tx).map(\.id)
    }

    @Test("Revocations of one decision are read back as they were inserted", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                try RevocationQueries.insert(Self.ofSession, app: Tables.app, id: Self.id(1), in: draft)
                try RevocationQueries.insert(Self.ofGeneration, app: Tables.app, id: Self.id(0), in: draft)
            }
            let found = try await database.read { tx in
                try RevocationQueries.revocations(of: Tables.app, after: "", limit: 9, in: tx).map(\.revocation)
            }
            #expect(found == [Self.ofGeneration, Self.ofSession])
        }
    }

    /// The revocations of seconds 1, 2 and 3, and that of the fourth in the other app.
    private static func insertFour(in tx: Draft) throws {
        for seconds in [2, 3, 1] as [Int64] {
            try RevocationQueries.insert(ofSession, app: Tables.app, id: id(seconds), in: tx)
        }
        try RevocationQueries.insert(ofSession, app: Tables.otherApp, id: id(4), in: tx)
    }

    @Test("The list of an app goes on after an id, within its limit", arguments: Engine.available)
    func pages(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertFour(in: tx)
            #expect(try Self.ids(in: tx) == [1, 2, 3].map(Self.id))
            #expect(try Self.ids(after: Self.id(1), limit: 1, in: tx) == [Self.id(2)])
            #expect(try Self.ids(after: Self.id(3), in: tx).isEmpty)
            #expect(try Self.ids(of: Tables.otherApp, in: tx) == [Self.id(4)])
        }
    }
}
