import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `spent_proofs`.
@Suite struct ProofQueryTests {
    private static let refusal = Refusal(.notLoggedIn, reason: .proofReplayed)

    private static func spend(
        _ id: [UInt8], changing users: Set<UserID> = [], app: AppID = Tables.app, at seconds: Int64 = 0, in tx: Draft
    ) throws {
        let issuedAt = (Tables.moment + seconds).milliseconds
        let proof = Proof(key: KeyThumbprint("key"), id: id, issuedAt: issuedAt, origin: "https://login.example.com")
        try ProofQueries.spend(proof, changing: users, in: app, else: refusal, in: tx)
    }

    @Test("Proofs of one decision are spent, with the members that they have changed", arguments: Engine.available)
    func changed(engine: Engine) async throws {
        let (user, neighbour) = (MemberQueryTests.user, MemberQueryTests.neighbour)
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                try Self.spend(Tables.bytes, changing: [user, neighbour], in: draft)
                try Self.spend([], in: draft)
                try Self.spend([1], changing: [user], app: Tables.otherApp, in: draft)
                try Self.spend([2], changing: [neighbour], at: -180, in: draft)
            }
            let changed = try await database.read { tx in try ProofQueries.changed(since: Tables.moment, in: tx) }
            #expect(changed == [Tables.app: [user, neighbour], Tables.otherApp: [user]])
            let (earlier, first) = try await database.read { tx in
                (
                    try ProofQueries.changed(since: Tables.moment + -180, until: Tables.moment + -120, in: tx),
                    try ProofQueries.first(since: Tables.moment, in: tx)
                )
            }
            #expect(earlier == [Tables.app: [neighbour]])
            let none = try await database.read { tx in try ProofQueries.first(since: Tables.moment + 3_600, in: tx) }
            #expect(try #require(first) <= Tables.moment && none == nil)
        }
    }

    @Test("A proof that was spent is refused with the call's refusal, in a decision too", arguments: Engine.available)
    func replayed(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in try Self.spend(Tables.bytes, in: draft) }
            await #expect(throws: Self.refusal) {
                try await database.decide { draft in try Self.spend(Tables.bytes, app: Tables.otherApp, in: draft) }
            }
        }
    }
}
