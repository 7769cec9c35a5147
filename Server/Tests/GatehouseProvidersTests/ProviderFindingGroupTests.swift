import GatehouseProviders
import Testing

@Suite struct ProviderFindingGroupTests {
    @Test("Findings are grouped by cause, what is wrong first, and calls that failed for one reason are one group")
    func groups() {
        let failed = { (part: String, why: String) in
            ProviderFinding.wrong("\(part).failed", "\(part): \(why)", ["why": why])
        }
        let findings: [ProviderFinding] = [
            .fine("clock.fine", "clock"), failed("keys", "no connection"), .unknown("client.unknown", "client"),
            failed("page", "no connection"), failed("tokens", "another reason"), .wrong("client.refused", "refused"),
            .unknown("bundle.unknown", "bundle"),
        ]
        let groups = findings.byCause
        #expect(groups.map(\.cause) == ["unreachable", "client", "unreachable", "clock", "bundle"])
        #expect(groups.map(\.findings.count) == [2, 2, 1, 1, 1])
        #expect(groups.map(\.verdict) == [.wrong, .wrong, .wrong, .fine, .unknown])
        #expect([ProviderFinding]().byCause.isEmpty)
    }
}
