import GatehouseStorage
import Testing

@testable import GatehouseCore

/// `docs/privacy.md` tells how long the rows of each table are kept.
/// `GATEHOUSE_WRITE_DOCS=1 make test ONLY=ExpiryDocumentTests` writes it.
@Suite struct ExpiryDocumentTests {
    private static let expiries = Expiry.all(SessionLifetimes())

    @Test("What ends by itself is listed with its time, as the sweeper deletes it")
    func table() throws {
        try GeneratedDocument("docs/privacy.md").check(
            from: "<!-- what ends by itself -->", to: "<!-- its end -->",
            ["", "| Table | What | How long |", "|---|---|---|"]
                + Self.expiries.map { "| `\($0.table)` | \($0.rows) | \($0.kept) |" } + [""])
    }

    @Test("Every table of players ends by itself, or is named among those that do not")
    func complete() throws {
        let text = try GeneratedDocument("docs/privacy.md").text
        let endless = try #require(text.firstMatch(of: #/No other table of players ends by time: ([^.]*)\./#)?.1)
        let named = endless.matches(of: #/`(\w+)`/#).map { String($0.1) }
        let ending = Set(Self.expiries.map { "\($0.table)" })
        #expect(ending.isDisjoint(with: named))
        #expect(ending.union(named).isSuperset(of: Distribution.gatehouse.distributed.map { "\($0)" }))
        #expect(Set(Self.expiries.map(\.name)).count == Self.expiries.count)
    }
}
