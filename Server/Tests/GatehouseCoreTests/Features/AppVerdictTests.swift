import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What operators are told first of an app, beside what it rests on.
@Suite struct AppVerdictTests {
    private func verdicts(_ core: TestCore) async throws -> [AppVerdict] {
        let app = try await core.context().app
        let hours = NumberRange(last: 24, .hour, until: core.clock.now, in: app.zone)
        return AppVerdicts(
            app, try await core.operator().run(.standing),
            try await core.operator().run(.numbers(in: hours)), at: core.clock.now
        ).all
    }

    private func count(_ metric: Metric, _ provider: Provider, at core: TestCore) async throws {
        let key = Tally.Key(
            app: TestCore.app, unit: .hour, metric: metric, bucket: core.clock.now.hourBegin, label: provider.rawValue)
        try await core.database.transact { tx in try CountQueries.add(1, to: key, in: tx) }
    }

    @Test("The list of apps, the verdict and a login say alike whether maintenance keeps players out")
    func maintenance() async throws {
        try await TestCore.open { core in
            let begin = core.clock.now.adding(seconds: 60)
            try await core.operator().run(
                PlanMaintenance(begin: begin, end: begin.adding(seconds: 60), message: [:], url: nil))
            for (seconds, isOpen) in [(Int64(0), true), (60, false), (59, false), (1, true)] {
                core.clock.advance(seconds: seconds)
                let listed = try await core.actions.run(ListApps(), by: .operator("mia"), at: core.clock.now)
                #expect(listed.map(\.status) == [isOpen ? LaunchingStatus.inService : .maintenance])
                let refused = await code { try await core.guest() }
                #expect(refused == (isOpen ? nil : ErrorCode.authNotPlayable))
                #expect(try await verdicts(core).contains { $0.kind == .maintenance } == !isOpen)
            }
        }
    }

    @Test("That an identity provider answers is said after a login or a passed test, and before that it is not known")
    func providers() async throws {
        try await TestCore.open { core in
            func said() async throws -> [AppVerdict] {
                let kinds: Set<AppVerdict.Kind> = [.providers, .unknownProviders, .providerFails]
                return try await verdicts(core).filter { kinds.contains($0.kind) }
            }
            func isUnknown(_ providers: [Provider]) async throws -> Bool {
                let found = try await said()
                return found.map(\.kind) == [.unknownProviders] && found.first?.state == .todo
                    && found.first?.values["idps"] == .providers(providers)
            }
            #expect(try await isUnknown([.naver, .twitter]))
            let version = try #require(try await core.context().app.providers[.naver]).version
            let (fine, wrong) = (ProviderFinding.fine("a", "a"), ProviderFinding.wrong("b", "b"))
            let tests: [(findings: [ProviderFinding], version: String, isPassed: Bool)] = [
                ([fine, wrong], version, false), ([fine], "of other settings", false), ([], version, false),
                ([fine], version, true),
            ]
            for test in tests {
                let record = ProviderTestRecord(
                    findings: test.findings, version: test.version, person: "mia", date: core.clock.now)
                try await core.database.transact { tx in
                    try ProviderTestQueries.set(record, of: .naver, app: TestCore.app, in: tx)
                }
                #expect(try await isUnknown(test.isPassed ? [.twitter] : [.naver, .twitter]), "\(test)")
            }
            try await count(.returningLogin, .twitter, at: core)
            #expect(try await said().map(\.kind) == [.providers])
            try await count(.providerFailed, .naver, at: core)
            #expect(try await said().map(\.kind) == [.providerFails])
            // A day later the login says nothing of now, and the test still does.
            core.clock.advance(seconds: 25 * 3_600)
            #expect(try await isUnknown([.twitter]))
        }
    }
}
