import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators confirm before they switch an identity provider on or off.
@Suite struct ProviderFormTests {
    private static let target = ActionTarget.provider(.naver)

    @Test("Switching a provider on says what the last test of these settings has found, and what is missing")
    func enable() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let enable = try EnableIdentityProvider(on: Self.target)
            func view() async throws -> ProviderView {
                try #require(try await caller.run(ReadIdentityProviders())[.naver])
            }
            func expect(_ test: Phrase, isDangerous: Bool) async throws {
                let preview = try await caller.run(ReadPreview(of: enable))
                #expect(
                    preview.consequences == [
                        Phrase("provider.enable.what", ["name": .word("provider.name.naver", or: "naver")]), test,
                    ])
                #expect(preview.isDangerous == isDangerous)
            }
            func test(_ findings: [ProviderFinding], of version: String) async throws {
                let record = ProviderTestRecord(
                    findings: findings, version: version, person: "kim", date: core.clock.now)
                try await core.database.transact { tx in
                    try ProviderTestQueries.set(record, of: .naver, app: TestCore.app, in: tx)
                }
            }
            try await caller.run(DisableIdentityProvider(provider: .naver))
            try await expect("provider.enable.untested", isDangerous: true)
            let version = try await view().configuration.version
            try await test([.wrong("client.refused", "refused"), .fine("clock.fine", "fine")], of: version)
            try await expect(Phrase("provider.enable.wrong", ["count": .count(1)]), isDangerous: true)
            // What could not be asked for one reason is one thing.
            let failed = ["keys", "page", "client"].map { part in
                ProviderFinding.wrong("\(part).failed", "\(part)", ["why": "no connection"])
            }
            try await test(failed, of: version)
            try await expect(Phrase("provider.enable.wrong", ["count": .count(1)]), isDangerous: true)
            try await test([.fine("clock.fine", "fine")], of: version)
            try await expect("provider.enable.fine", isDangerous: false)
            // A test of other settings is none of these.
            try await test([.fine("clock.fine", "fine")], of: "other")
            try await expect("provider.enable.untested", isDangerous: true)
            try await caller.run(enable)
            #expect(try await view().configuration.isEnabled)

            // Its secret is set, and without one it would be missing.
            let bare = ProviderView(provider: .naver, configuration: try await view().configuration)
            #expect(
                bare.missing
                    == [Phrase("provider.missing", ["name": .phrase("provider.secret.clientSecret")])])
        }
    }

    @Test("What was tested are these settings, in whatever order the regions of a channel were written")
    func version() {
        let names = (1...20).map { "region\($0)" }
        func version(_ names: [String]) -> String {
            var line = ProviderConfiguration(kind: .line, clientIds: [])
            line.regions = [:]
            for name in names { line.regions?[name] = ProviderConfiguration.Region(clientIds: [name]) }
            return line.version
        }
        #expect(Set((0..<10).map { _ in version(names.shuffled()) }).count == 1)
        #expect(version(names) != version(names + ["region21"]))
    }

    @Test("Switching a provider off counts the members who have no other, ends logins and no session, as an operator")
    func disable() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            _ = try await core.guest("tablet")
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let disable = try DisableIdentityProvider(on: Self.target)
            let preview = try await caller.run(ReadPreview(of: disable))
            #expect(preview.isDangerous)
            #expect(
                preview.consequences.first
                    == Phrase(
                        "provider.disable.sole",
                        ["count": .count(1), "looked": .count(2), "name": .name(of: .naver)]))
            let support = core.operator(kim, as: .support)
            #expect(await code { try await support.run(disable) } == .userPermission)
            try await caller.run(disable)
            let view = try await caller.run(ReadIdentityProviders())[.naver]
            #expect(view?.configuration.isEnabled == false)
            // Nodes know an app's new settings within a second.
            core.clock.advance(seconds: 2)
            #expect(await code { try await core.player("bob", on: "pc") } == .authIDPLoginInvalidIDPInfo)
            #expect(try await alice.isLoggedIn)

            let studio = ActionTarget.provider(Provider("studio"))
            for problem in [
                await OperatorForm.impossible {
                    _ = try await caller.run(ReadPreview(of: DisableIdentityProvider(on: studio)))
                },
                await OperatorForm.impossible {
                    _ = try await caller.run(ReadPreview(of: EnableIdentityProvider(on: studio)))
                },
            ] {
                #expect(problem?.phrase == "provider.not-set-up" && problem?.parameter == "provider")
            }
            #expect(await code { _ = try EnableIdentityProvider(on: .app) } == .invalidParameter)
        }
    }
}
