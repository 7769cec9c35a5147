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
            let range = { (ids: Range<String>, areConflicts: Bool?) in
                try RefusalQueries.calls(
                    of: Self.user, app: Tables.app, in: ids, areConflicts: areConflicts, limit: 9, in: tx)
            }
            #expect(try range(""..<TimeOrderedID.end, nil) == [second, first])
            #expect(try range(""..<second.id, false) == [first])
            #expect(try range(second.id..<TimeOrderedID.end, nil) == [second])
            #expect(try range(""..<TimeOrderedID.end, true).isEmpty)
            let page = { (before: String?) in
                try RefusalQueries.calls(of: Tables.app, before: before, limit: 2, in: tx)
            }
            #expect(try page(nil) == [third, second])
            #expect(try page(second.id) == [first])
            let since = TimeOrderedID.firstEntry(at: Tables.moment + 2)
            #expect(
                try RefusalQueries.calls(of: Tables.app, since: since, before: third.id, limit: 9, in: tx) == [second])
            #expect(
                try RefusalQueries.calls(
                    of: Self.user, app: Tables.app, since: first.id, before: second.id, limit: 9, in: tx) == [first])
        }
    }

    @Test("Outlines have what is asked for, of an app or of a member, newest first", arguments: Engine.available)
    func outlines(engine: Engine) async throws {
        let calls = [Self.call(1), Self.call(2, of: nil), Self.call(3), Self.call(4, app: Tables.otherApp)]
        try await Tables.transact(engine) { tx in
            for call in calls { try RefusalQueries.insert(call, in: tx) }
            func outlines(
                of user: UserID? = nil, since first: String? = nil, before last: String? = nil, limit: Int = 9,
                _ withCall: Bool = false, _ withClient: Bool = false
            ) throws -> [RefusalOutline] {
                try RefusalQueries.outlines(
                    of: user, app: Tables.app, since: first, before: last, limit: limit, withCall: withCall,
                    withClient: withClient, in: tx)
            }
            #expect(try outlines().map(\.id) == [calls[2], calls[1], calls[0]].map(\.id))
            #expect(try outlines(of: Self.user, before: calls[2].id).map(\.id) == [calls[0].id])
            #expect(try outlines(since: calls[1].id, limit: 1).map(\.id) == [calls[2].id])
            for (withCall, withClient) in [(false, false), (true, false), (false, true), (true, true)] {
                let found = try #require(try outlines(limit: 1, withCall, withClient).first)
                #expect(found.code == .bannedMember && found.provider == .google && found.user == Self.user)
                #expect(found.date == calls[2].date && found.call == (withCall ? Tables.text : nil))
                #expect(found.client == (withClient ? Tables.text : nil))
            }
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
