import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `operator_actions`.
@Suite struct OperatorRecordQueryTests {
    private static let kim = OperatorID("kim")

    private static func record(
        _ number: Int, of person: OperatorID = kim, app: AppID? = Tables.app, target: String = "member A"
    ) -> OperatorRecord {
        OperatorRecord(
            id: "0\(number)", app: app, person: person, personName: "kim", role: .support, action: "member.banned",
            target: target, reason: Tables.text, ticket: number == 1 ? Tables.text : nil,
            before: number == 1 ? nil : TargetState(["a": Tables.text]), after: TargetState(["a": "", "b": "2"]),
            transactionID: "t", address: "192.0.2.1", date: Tables.moment + Int64(number))
    }

    @Test(
        "Records are read back as they were written, by app, target, mark and id, newest first",
        arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let records = [
                Self.record(1), Self.record(2, of: OperatorID("lee")), Self.record(3, target: "member B"),
                Self.record(4, app: Tables.otherApp), Self.record(5, app: nil, target: "app"),
            ]
            for record in records { try OperatorRecordQueries.insert(record, once: "once \(record.id)", in: tx) }
            #expect(
                try OperatorRecordQueries.records(of: Tables.app, before: nil, limit: 10, in: tx) == [
                    records[2], records[1], records[0],
                ])
            #expect(try OperatorRecordQueries.records(of: Tables.app, before: "03", limit: 1, in: tx) == [records[1]])
            #expect(
                try OperatorRecordQueries.records(of: Tables.app, target: "member A", limit: 10, in: tx) == [
                    records[1], records[0],
                ])
            #expect(
                try OperatorRecordQueries.records(of: Tables.app, target: "member A", limit: 1, in: tx) == [records[1]])
            #expect(
                try OperatorRecordQueries.records(of: Tables.app, in: "02"..<"03", limit: 9, in: tx) == [records[1]])
            #expect(
                try OperatorRecordQueries.records(of: Tables.app, in: "02"..<"06", limit: 9, in: tx) == [
                    records[2], records[1],
                ])
            #expect(try OperatorRecordQueries.records(of: Tables.app, in: ""..<"9", limit: 1, in: tx) == [records[2]])
            #expect(try OperatorRecordQueries.records(of: AppID("none"), before: nil, limit: 10, in: tx).isEmpty)
            let by = { (actions: [String], count: Int) in
                try OperatorRecordQueries.records(of: Tables.app, by: actions, among: count, in: tx)
            }
            #expect(try by(["status.set", "member.banned", "a"], 2) == [records[2], records[1]])
            #expect(try by(["status.set"], 9).isEmpty)
            #expect(
                try OperatorRecordQueries.records(before: nil, limit: 9, in: tx).map(\.id) == [
                    "05", "04", "03", "02", "01",
                ])
            #expect(try OperatorRecordQueries.records(before: "04", limit: 2, in: tx) == [records[2], records[1]])
            let ofServer = { (target: String?, before: String?) in
                try OperatorRecordQueries.recordsOfServer(target: target, before: before, limit: 10, in: tx)
            }
            #expect(try ofServer(nil, nil) == [records[4]] && ofServer("app", "06") == [records[4]])
            #expect(try ofServer("member A", nil).isEmpty && ofServer(nil, "05").isEmpty)
            func targets(_ person: OperatorID, _ count: Int) throws -> [String] {
                try OperatorRecordQueries.targets(of: person, among: count, in: tx).map {
                    "\($0.app?.rawValue ?? "") \($0.target)"
                }
            }
            let (own, other) = (Tables.app.rawValue, Tables.otherApp.rawValue)
            #expect(try targets(Self.kim, 9) == ["\(other) member A", "\(own) member B", "\(own) member A"])
            #expect(try targets(Self.kim, 2) == ["\(other) member A"] && targets(OperatorID("none"), 9).isEmpty)
            #expect(
                try OperatorRecordQueries.find("05", in: tx) == records[4]
                    && OperatorRecordQueries.find("06", in: tx) == nil)
            #expect(try OperatorRecordQueries.find(once: "once 01", of: Self.kim, in: tx) == records[0])
            #expect(try OperatorRecordQueries.find(once: "once 02", of: Self.kim, in: tx) == nil)
        }
    }

    @Test("A row has the role of a person of the console, or the door of anybody else", arguments: Engine.available)
    func doors(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            func record(_ action: String) -> OperatorRecord {
                OperatorRecord(
                    id: action, app: Tables.app, person: OperatorID(""), personName: "mia", role: nil, action: action,
                    target: "member A", reason: "", ticket: nil, before: nil, after: nil, transactionID: "",
                    address: "", date: Tables.moment, door: .command)
            }
            for action in ["member.banned", "session.ended"] {
                try OperatorRecordQueries.insert(record(action), once: action, in: tx)
            }
            #expect(try OperatorRecordQueries.find("member.banned", in: tx) == record("member.banned"))
            // An action that had another name in 0.6.0 has its present one.
            #expect(try OperatorRecordQueries.find("session.ended", in: tx)?.action == "session.kicked-out")
        }
    }

    @Test("The people of the newest records are each named once, of one app or of all", arguments: Engine.available)
    func people(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for (number, name, app) in [
                (1, "ann", Tables.app), (2, "kim", Tables.app), (3, "kim", Tables.app), (4, "lee", Tables.otherApp),
                (5, "eve", nil),
            ] as [(Int, String, AppID?)] {
                let record = OperatorRecord(
                    id: "0\(number)", app: app, person: Self.kim, personName: name, role: .support, action: "x",
                    target: "app", reason: "", ticket: nil, before: nil, after: nil, transactionID: "t", address: "",
                    date: Tables.moment)
                try OperatorRecordQueries.insert(record, once: "once \(number)", in: tx)
            }
            let people = { (app: AppID?, bound: Int) in
                try OperatorRecordQueries.people(of: app, lookingAt: bound, in: tx).sorted()
            }
            #expect(try people(Tables.app, 9) == ["ann", "kim"] && people(Tables.app, 2) == ["kim"])
            #expect(try people(nil, 9) == ["ann", "eve", "kim", "lee"] && people(nil, 2) == ["eve", "lee"])
        }
    }

    @Test("A mark of one operator is taken once, and another operator may have the same", arguments: Engine.available)
    func once(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            let insert = { @Sendable (record: OperatorRecord) async throws in
                try await database.decide { tx in try OperatorRecordQueries.insert(record, once: "x", in: tx) }
            }
            try await insert(Self.record(1))
            await #expect(throws: (any Error).self) { try await insert(Self.record(2)) }
            try await insert(Self.record(3, of: OperatorID("lee")))
            #expect(try await database.read { tx in try tx.count("operator_actions") } == 2)
        }
    }

    @Test("The last reasons of a person in an app or of the server, newest first", arguments: Engine.available)
    func reasons(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for record in [
                Self.record(1), Self.record(2, of: OperatorID("lee")), Self.record(3, app: Tables.otherApp),
                Self.record(4, app: nil), Self.record(5),
            ] { try OperatorRecordQueries.insert(record, once: "once \(record.id)", in: tx) }
            let found = { (app: AppID?, limit: Int) in
                try OperatorRecordQueries.reasons(of: Self.kim, app: app, limit: limit, in: tx).map(\.once)
            }
            #expect(try found(Tables.app, 9) == ["once 05", "once 01"] && found(Tables.app, 1) == ["once 05"])
            #expect(try found(nil, 9) == ["once 04"] && found(AppID("none"), 9).isEmpty)
            let first = try OperatorRecordQueries.reasons(of: Self.kim, app: Tables.app, limit: 1, in: tx).first
            #expect(first?.reason == Tables.text && first?.action == "member.banned")
        }
    }
}
