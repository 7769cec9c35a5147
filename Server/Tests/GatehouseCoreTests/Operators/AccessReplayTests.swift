import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What a restored copy does not know of operators' access, from the log of a server.
@Suite struct AccessReplayTests {
    /// A line as a server writes it: flat, and with the time of its writing.
    private static func line(_ event: String, of name: String, at moment: Moment, written later: Int64) throws
        -> AccessChange
    {
        let id = TimeOrderedID.entry(at: moment, random: .live)
        let time = moment.adding(seconds: later).milliseconds
        return try AccessChange(
            line: """
                {"time":\(time),"level":"info","label":"gatehouse","message":"audit","actor":"operator","audit":"\(event)",\
                "auditId":"\(id)","by":"ann","door":"console","operator":"\(name)"}
                """)
    }

    @Test("REL-10: a log is replayed in the order of its events, whatever the time at which a line was written")
    func order() async throws {
        try await TestCore.open { core in
            for name in ["ann", "kim", "lee"] { _ = try await core.person(name) }
            let first = core.clock.now
            let second = first.adding(seconds: 5)
            let changes = [
                // A server writes what a command has done up to half a minute later, after what was done at the console meanwhile.
                try Self.line("operator.disabled", of: "kim", at: second, written: 0),
                try Self.line("operator.enabled", of: "kim", at: first, written: 30),
                try Self.line("operator.enabled", of: "lee", at: second, written: 0),
                try Self.line("operator.disabled", of: "lee", at: first, written: 30),
            ]
            for changes in [changes, changes.reversed()] {
                let outcome = try await core.atConsole(ReplayAccess(changes))
                if outcome.passedOver == 0 { #expect(outcome.disabled == ["kim"]) }
            }
            let people = try await core.atConsole(ListOperators())
            #expect(people.filter(\.isDisabled).map(\.name) == ["kim"])
            let times = try await core.records().filter {
                ["operator.disabled", "operator.enabled"].contains($0.event)
            }.map(\.date)
            #expect(times == [first, first, second, second].map(\.milliseconds))
        }
    }

    @Test("Secret keys that have ended are read by the names of now and of 0.6.0, and a new key that ends none is not")
    func secrets() throws {
        let id = TimeOrderedID.entry(at: Moment(milliseconds: 1_700_000_000_000), random: .live)
        func change(_ name: String, _ details: String) throws -> AccessChange {
            try AccessChange(line: #"{"audit":"\#(name)","auditId":"\#(id)","appId":"game","details":\#(details)}"#)
        }
        for name in [
            "secret.created", "secret.revoked", "secret.revoked-old", "app.secret-rotated", "app.secret-revoked",
            "app.secrets-revoked",
        ] {
            let record = try change(name, #"{"revoked":"0123456789ab"}"#).record
            #expect(record.event == name && record.details == ["revoked": "0123456789ab"])
        }
        #expect(throws: Erasure.Unreadable.ofSomethingElse) { try change("secret.created", "{}") }
    }

    @Test(
        "A line whose record has no id of a time is broken",
        arguments: ["", "x", "0123456789", "zzzzzzzzzzzzzzzzzzzzzzzzzz"])
    func broken(id: String) {
        #expect(throws: Erasure.Unreadable.broken) {
            try AccessChange(
                line: #"{"time":1700000000000,"audit":"operator.disabled","auditId":"\#(id)","operator":"kim"}"#)
        }
    }
}
