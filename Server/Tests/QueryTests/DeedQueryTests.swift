import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `operator_actions`.
@Suite struct DeedQueryTests {
    private static let kim = OperatorID("kim")

    private static func record(
        _ number: Int, of person: OperatorID = kim, app: AppID? = Tables.app, target: String = "member A"
    ) -> DeedRecord {
        DeedRecord(
            id: "0\(number)", app: app, person: person, personName: "kim", role: .support, action: "member.banned",
            target: target, reason: Tables.text, ticket: number == 1 ? Tables.text : nil,
            before: number == 1 ? nil : DeedState(["a": Tables.text]), after: DeedState(["a": "", "b": "2"]),
            transactionID: "t", address: "192.0.2.1", date: Tables.moment + Int64(number))
    }

    @Test(
        "Deeds are read back as they were written, by app, target, mark and id, newest first",
        arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let records = [
                Self.record(1), Self.record(2, of: OperatorID("lee")), Self.record(3, target: "member B"),
                Self.record(4, app: Tables.otherApp), Self.record(5, app: nil, target: "app"),
            ]
            for record in records { try DeedQueries.insert(record, once: "once \(record.id)", in: tx) }
            #expect(
                try DeedQueries.records(of: Tables.app, before: nil, limit: 10, in: tx) == [
                    records[2], records[1], records[0],
                ])
            #expect(try DeedQueries.records(of: Tables.app, before: "03", limit: 1, in: tx) == [records[1]])
            #expect(
                try DeedQueries.records(of: Tables.app, target: "member A", limit: 10, in: tx) == [
                    records[1], records[0],
                ])
            #expect(try DeedQueries.records(of: Tables.app, target: "member A", limit: 1, in: tx) == [records[1]])
            #expect(try DeedQueries.records(of: AppID("none"), before: nil, limit: 10, in: tx).isEmpty)
            #expect(try DeedQueries.records(before: nil, limit: 9, in: tx).map(\.id) == ["05", "04", "03", "02", "01"])
            #expect(try DeedQueries.records(before: "04", limit: 2, in: tx) == [records[2], records[1]])
            let ofServer = { (target: String?, before: String?) in
                try DeedQueries.recordsOfServer(target: target, before: before, limit: 10, in: tx)
            }
            #expect(try ofServer(nil, nil) == [records[4]] && ofServer("app", "06") == [records[4]])
            #expect(try ofServer("member A", nil).isEmpty && ofServer(nil, "05").isEmpty)
            #expect(try DeedQueries.find("05", in: tx) == records[4] && DeedQueries.find("06", in: tx) == nil)
            #expect(try DeedQueries.find(once: "once 01", of: Self.kim, in: tx) == records[0])
            #expect(try DeedQueries.find(once: "once 02", of: Self.kim, in: tx) == nil)
        }
    }

    @Test("A mark of one operator is taken once, and another operator may have the same", arguments: Engine.available)
    func once(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            let insert = { @Sendable (record: DeedRecord) async throws in
                try await database.decide { tx in try DeedQueries.insert(record, once: "x", in: tx) }
            }
            try await insert(Self.record(1))
            await #expect(throws: (any Error).self) { try await insert(Self.record(2)) }
            try await insert(Self.record(3, of: OperatorID("lee")))
            #expect(try await database.read { tx in try tx.count("operator_actions") } == 2)
        }
    }
}
