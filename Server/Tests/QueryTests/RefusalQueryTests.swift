import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `refusals`.
@Suite struct RefusalQueryTests {
    private static let user = MemberQueryTests.user

    private static func call(
        _ seconds: Int64, of user: UserID? = user, app: AppID = Tables.app, transaction: String = "t1"
    ) -> RefusedCall {
        RefusedCall(
            id: Tables.id(at: Tables.moment + seconds), app: app, transactionID: transaction, code: .bannedMember,
            reason: .banned, call: Tables.text, provider: .google, key: KeyThumbprint("key"), user: user,
            client: Tables.text, date: Tables.moment + seconds)
    }

    @Test(
        "A refused call is found by its transaction, its member and its app, newest first", arguments: Engine.available)
    func find(engine: Engine) async throws {
        let (first, second, third) = (Self.call(1), Self.call(2), Self.call(3, of: nil, transaction: "t2"))
        let elsewhere = Self.call(4, app: Tables.otherApp)
        try await Tables.transact(engine) { tx in
            for call in [first, third, second, elsewhere] { try RefusalQueries.insert(call, in: tx) }
            #expect(try RefusalQueries.call(first.id, app: Tables.app, in: tx) == first)
            #expect(try RefusalQueries.call(first.id, app: Tables.otherApp, in: tx) == nil)
            let found = { (id: String) in
                try RefusalQueries.calls(withTransaction: id, app: Tables.app, limit: 9, in: tx)
            }
            #expect(try found("t1") == [second, first])
            #expect(try found("t2") == [third])
            #expect(try found("t3").isEmpty)
            #expect(try RefusalQueries.calls(of: Self.user, app: Tables.app, limit: 9, in: tx) == [second, first])
            #expect(
                try RefusalQueries.calls(of: MemberQueryTests.neighbour, app: Tables.app, limit: 9, in: tx).isEmpty)
            let page = { (before: String?) in
                try RefusalQueries.calls(of: Tables.app, before: before, limit: 2, in: tx)
            }
            #expect(try page(nil) == [third, second])
            #expect(try page(second.id) == [first])
        }
    }

    @Test(
        "Rows beyond the newest, and the rows of a member are deleted, and no others",
        arguments: Engine.available)
    func delete(engine: Engine) async throws {
        let calls = (1...5).map { Self.call($0, of: $0 == 5 ? MemberQueryTests.neighbour : Self.user) }
        let elsewhere = Self.call(7, app: Tables.otherApp)
        try await Tables.transact(engine) { tx in
            for call in calls[1...] + [elsewhere] { try RefusalQueries.insert(call, in: tx) }
            let left = {
                try RefusalQueries.calls(of: Tables.app, before: nil, limit: 9, in: tx).map(\.id).sorted()
            }
            let stranger = Self.call(6, of: nil)
            try RefusalQueries.insert(stranger, in: tx)
            #expect(try RefusalQueries.id(after: 0, of: Tables.app, areStrangers: true, in: tx) == stranger.id)
            #expect(try RefusalQueries.id(after: 1, of: Tables.app, areStrangers: true, in: tx) == nil)
            #expect(
                try RefusalQueries.deleteAll(
                    of: Tables.app, areStrangers: true, upTo: stranger.id, limit: 9, in: tx) == 1)
            #expect(try left() == calls[1...].map(\.id))
            #expect(try RefusalQueries.id(after: 9, of: Tables.app, areStrangers: false, in: tx) == nil)
            let last = try #require(try RefusalQueries.id(after: 3, of: Tables.app, areStrangers: false, in: tx))
            #expect(last == calls[1].id)
            #expect(
                try RefusalQueries.deleteAll(of: Tables.app, areStrangers: false, upTo: last, limit: 9, in: tx) == 1)
            #expect(try left() == calls[2...].map(\.id))
            try RefusalQueries.deleteAll(of: Self.user, app: Tables.app, in: tx)
            #expect(try left() == [calls[4].id])
            #expect(try RefusalQueries.call(elsewhere.id, app: Tables.otherApp, in: tx) == elsewhere)
        }
    }
}
