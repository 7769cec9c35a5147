import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `alert_receivers` and `alert_states`.
@Suite struct AlertQueryTests {
    /// A receiver with a value in every column.
    private static func full(_ id: String, of app: AppID = Tables.app) -> AlertReceiver {
        var wish = AlertWish()
        wish.language = "ko"
        wish.verdicts = [.refused, .lateJobs]
        wish.includesWarnings = false
        wish.quiet = QuietHours(from: 22, until: 7)
        wish.isOn = false
        return AlertReceiver(app: app, id: id, kind: .slack, hint: Tables.text, wish: wish)
    }

    private static func insert(_ receiver: AlertReceiver, in tx: Transaction) throws {
        try AlertQueries.insert(receiver, sealed: Tables.bytes, at: Tables.moment, in: tx)
    }

    @Test(
        "Receivers come back with every column, are changed and deleted, and belong to one app",
        arguments: Engine.available)
    func receivers(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let plain = AlertReceiver(app: Tables.app, id: "b", kind: .email, hint: "a@example.com", wish: AlertWish())
            for receiver in [plain, Self.full("a"), Self.full("b", of: Tables.otherApp)] {
                try Self.insert(receiver, in: tx)
            }
            #expect(try AlertQueries.receivers(of: Tables.app, in: tx) == [Self.full("a"), plain])
            #expect(try AlertQueries.receiver("b", of: Tables.app, in: tx) == plain)
            #expect(try AlertQueries.receiver("c", of: Tables.app, in: tx) == nil)
            let wanted = try AlertQueries.wanted(in: tx)
            #expect(wanted.map(\.app) == [Tables.app, Tables.otherApp])
            #expect(wanted.map(\.kinds) == [Set(AlertWish.kinds + [.lateJobs]), [.refused, .lateJobs]])
            #expect(try AlertQueries.address(of: "b", of: Tables.app, in: tx) == Tables.bytes)

            var changed = Self.full("b")
            changed.hint = "not kept"
            #expect(try AlertQueries.update(changed, sealed: nil, in: tx))
            var found = try #require(try AlertQueries.receiver("b", of: Tables.app, in: tx))
            #expect(found.wish == changed.wish && found.hint == plain.hint && found.kind == .email)
            #expect(try AlertQueries.update(changed, sealed: [1], in: tx))
            found = try #require(try AlertQueries.receiver("b", of: Tables.app, in: tx))
            #expect(try found.hint == "not kept" && AlertQueries.address(of: "b", of: Tables.app, in: tx) == [1])
            #expect(try !AlertQueries.update(Self.full("c"), sealed: nil, in: tx))
            #expect(try AlertQueries.receiver("b", of: Tables.otherApp, in: tx) == Self.full("b", of: Tables.otherApp))

            for (outcome, seconds) in [(AlertOutcome(.status, status: 503), 5), (AlertOutcome(.sent), 3)]
                as [(AlertOutcome, Int64)]
            {
                try AlertQueries.note(outcome, of: "b", app: Tables.app, at: Tables.moment + seconds, in: tx)
            }
            #expect(
                try AlertQueries.receiver("b", of: Tables.app, in: tx)?.last
                    == .init(date: Tables.moment + 5, outcome: AlertOutcome(.status, status: 503)))
            #expect(try AlertQueries.receiver("b", of: Tables.otherApp, in: tx)?.last == nil)
            #expect(try AlertQueries.delete("b", of: Tables.app, in: tx))
            #expect(try !AlertQueries.delete("b", of: Tables.app, in: tx))
            #expect(try AlertQueries.receivers(of: Tables.otherApp, in: tx).count == 1)
        }
    }

    @Test("What a receiver was told begins once, changes as it was read, and ends once", arguments: Engine.available)
    func states(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let state = AlertState(receiver: "a", verdict: "refused", isBad: false, begunAt: Tables.moment)
            for app in [Tables.app, Tables.otherApp] {
                #expect(try AlertQueries.begin(state, of: app, in: tx))
                #expect(try !AlertQueries.begin(state, of: app, in: tx))
            }
            #expect(try !AlertQueries.end(state, of: Tables.app, in: tx))
            var gone = state
            (gone.isBad, gone.goneAt) = (true, Tables.moment + 1)
            #expect(try AlertQueries.change(state, to: gone, of: Tables.app, in: tx))
            #expect(try !AlertQueries.change(state, to: gone, of: Tables.app, in: tx))
            #expect(try AlertQueries.states(of: Tables.app, in: tx) == [gone])
            #expect(try AlertQueries.states(of: Tables.otherApp, in: tx) == [state])
            #expect(try AlertQueries.change(gone, to: gone, of: Tables.app, in: tx))
            #expect(try AlertQueries.end(gone, of: Tables.app, in: tx))
            #expect(try !AlertQueries.end(gone, of: Tables.app, in: tx))
            try AlertQueries.forget("a", of: Tables.app, in: tx)
            #expect(try AlertQueries.states(of: Tables.otherApp, in: tx).count == 1)
            try AlertQueries.forget("a", of: Tables.otherApp, in: tx)
            #expect(try tx.count("alert_states") == 0)
        }
    }

    @Test("SQLite finds receivers and what they were told by the app")
    func plans() async throws {
        try await Tables.open(.sqlite) { database in
            for table in ["alert_receivers", "alert_states"] as [SQL] {
                let steps = try await database.read { tx in
                    try tx.rows(
                        "EXPLAIN QUERY PLAN SELECT * FROM \(table) WHERE app_id = 'a' ORDER BY receiver_id"
                    ) { row in try row[3] as String }
                }
                #expect(steps.count == 1 && steps[0].contains("SEARCH"), "\(steps)")
            }
        }
    }
}
