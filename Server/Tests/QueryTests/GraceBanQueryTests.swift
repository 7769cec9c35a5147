import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `grace_bans` and `payments`.
@Suite struct GraceBanQueryTests {
    private static let user = MemberQueryTests.user
    private static let neighbour = MemberQueryTests.neighbour
    private static let graceBan = GraceBan(
        gracePeriodDate: .max, message: Tables.text,
        paymentStatus: PaymentStatus(amount: 0, count: 0, currency: "KRW"),
        releaseRuleCondition: ReleaseRuleCondition(amount: 12.5, count: 3, currency: "KRW", conditionType: .or))

    private static func id(_ seconds: Int64) -> String { Tables.id(at: Tables.moment + seconds) }

    private static func insert(
        _ seconds: Int64, of user: UserID = user, app: AppID = Tables.app, name: String? = nil, in tx: Draft
    ) throws {
        let origin = Origin(actor: .gameServer, door: .serverAPI, name: name)
        let change = try Tables.change(app: app, at: Tables.moment + seconds, by: origin)
        try GraceBanQueries.insert(id(seconds), user: user, graceBan, change, in: tx)
    }

    private static func records(
        of user: UserID? = nil, isOpen: Bool = false, before seconds: Int64 = 99, limit: Int = 9, in tx: Reader
    ) throws -> [GraceBanRecord] {
        try GraceBanQueries.graceBans(
            of: Tables.app, user: user, isOpen: isOpen, before: Tables.moment + seconds, limit: limit, in: tx)
    }

    @Test("Grace bans of one decision are read back as they were inserted", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                try MemberQueryTests.insertAll(in: draft)
                try Self.insert(1, name: Tables.text, in: draft)
                try Self.insert(2, of: Self.neighbour, in: draft)
            }
            try await database.read { tx throws in
                #expect(try HoldQueries.graceBan(Self.id(1), app: Tables.app, in: tx)?.graceBan == Self.graceBan)
                #expect(
                    try Self.records(of: Self.user, in: tx) == [
                        GraceBanRecord(
                            id: Self.id(1), user: Self.user, graceBan: Self.graceBan, beginsAt: Tables.moment + 1,
                            registeredBy: Tables.text, outcome: nil, endedAt: nil, isOpen: false)
                    ])
                #expect(try HoldQueries.graceBan("none", app: Tables.app, in: tx) == nil)
            }
        }
    }

    @Test("Payments and the end are of one grace ban", arguments: Engine.available)
    func changes(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            for seconds in [1, 2] as [Int64] { try Self.insert(seconds, in: tx) }
            try GraceBanQueries.setPaid(Self.id(1), app: Tables.app, amount: .max, count: .max, in: tx)
            try GraceBanQueries.end(Self.id(1), app: Tables.app, outcome: "released", at: Tables.moment + 5, in: tx)
            let paid = try HoldQueries.graceBan(Self.id(1), app: Tables.app, in: tx)
            #expect(paid?.paidAmount == .max && paid?.paidCount == .max && paid?.isMet == true)
            #expect(try Self.records(in: tx).map(\.outcome) == [nil, "released"])
            #expect(try Self.records(in: tx).map(\.endedAt) == [nil, Tables.moment + 5])
            #expect(try HoldQueries.graceBan(Self.id(2), app: Tables.app, in: tx)?.paidAmount == 0)
        }
    }

    @Test(
        "The list is newest first, of one app, before a moment, and of a member if asked", arguments: Engine.available)
    func list(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            for seconds in [1, 4] as [Int64] { try Self.insert(seconds, in: tx) }
            try Self.insert(2, of: Self.neighbour, in: tx)
            try Self.insert(3, app: Tables.otherApp, in: tx)
            #expect(try Self.records(in: tx).map(\.id) == [4, 2, 1].map(Self.id))
            #expect(try Self.records(limit: 1, in: tx).map(\.id) == [Self.id(4)])
            #expect(try Self.records(before: 4, in: tx).map(\.id) == [2, 1].map(Self.id))
            #expect(try Self.records(of: Self.user, in: tx).map(\.id) == [4, 1].map(Self.id))
        }
    }

    @Test("A grace ban is open while it holds its member and has no outcome", arguments: Engine.available)
    func open(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            for seconds in [1, 2] as [Int64] { try Self.insert(seconds, in: tx) }
            let holds = Holds(graceBan: .init(id: Self.id(2), endsAt: Tables.moment + 9))
            try MemberQueries.update(
                try MemberQueryTests.account(in: tx), status: .graceBanned, holds: holds, in: tx)
            #expect(try Self.records(in: tx).map(\.isOpen) == [true, false])
            #expect(try Self.records(isOpen: true, in: tx).map(\.id) == [Self.id(2)])
            try GraceBanQueries.end(Self.id(2), app: Tables.app, outcome: "banned", at: Tables.moment, in: tx)
            #expect(try Self.records(isOpen: true, in: tx).isEmpty)
        }
    }

    @Test("A payment is reported once in its app", arguments: Engine.available)
    func payments(engine: Engine) async throws {
        try await Tables.transact(engine) { tx throws in
            let report = { (id: String, user: UserID, app: AppID) in
                try GraceBanQueries.insertPayment(
                    id, user: user, amount: .max, currency: "KRW", try Tables.change(app: app), in: tx)
            }
            #expect(try report(Tables.text, Self.user, Tables.app))
            #expect(try !report(Tables.text, Self.neighbour, Tables.app))
            #expect(try report(Tables.text, Self.user, Tables.otherApp))
            #expect(try report("other", Self.user, Tables.app))
            #expect(try tx.count("payments WHERE user_id = \(Self.user) AND amount = \(Int64.max)") == 3)
        }
    }
}
