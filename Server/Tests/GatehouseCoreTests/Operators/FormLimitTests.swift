import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What a form may hold is decided before anything of it is read.
@Suite struct FormLimitTests {
    /// As long as a whole form of the console may be.
    private static let long = ["A,", "a\n", " ", ";", "é "].map { String(repeating: $0, count: 120_000) }

    @Test("REL-9: a list that is longer than its field is not looked at, and none is beyond what an action may have")
    func lists() {
        for text in Self.long {
            var work = 0
            #expect(UserID.list(text, work: &work).isEmpty)
            #expect(work == 0)
        }
        let ids = (0..<3_000).map { "\($0)" }.joined(separator: ",")
        #expect(ids.utf8.count < InputValues.mostBytes)
        var work = 0
        #expect(UserID.list(ids, work: &work).count == ActionTarget.mostMembers + 1)
        #expect(work < 500)
    }

    @Test("Ids of a list are in capital letters, without those that occur twice and without their end after 64 letters")
    func ids() {
        let long = String(repeating: "x", count: 70)
        let ids = UserID.list(" ab, AB;cd\n\u{3000}ab\t\(long)")
        #expect(ids.map(\.rawValue) == ["AB", "CD", String(repeating: "X", count: 64)])
        #expect(UserID.list(" ,;\n").isEmpty)
    }

    @Test("REL-9: a value that is longer than any field is a problem of its field, and no part of it is read")
    func values() async throws {
        try await TestCore.open { core in
            let view = try await OperatorForm.context(of: core.operator())
            for text in Self.long {
                let values = OperatorForm.values(["users": text, "length": "1d"])
                #expect(values.text("users") == nil && values.text("length") == "1d")
                let target = try BanListedMembers.target(values)
                let problems = await OperatorForm.problems { _ = try BanListedMembers(on: target, values, view) }
                #expect(problems == ["users"])
                // A field that no action knows is refused as well.
                let unknown = OperatorForm.values(["users": "A", "length": "1d", "x": text])
                let found = await OperatorForm.problems { _ = try BanListedMembers(on: target, unknown, view) }
                #expect(found == ["x"])
            }
        }
    }
}
