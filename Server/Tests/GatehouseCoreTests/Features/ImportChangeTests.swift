import GatehouseImport
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Bans and withdrawals that come with members, and what a later file changes. What was changed here stays.
@Suite struct ImportChangeTests {
    private func open(
        _ engine: Engine, _ test: @escaping @Sendable (TestCore) async throws -> Void
    ) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            try await test(core)
        }
    }

    /// Imports one record.
    @discardableResult
    private func bring(_ member: ImportedMember, _ core: TestCore) async throws -> ImportOutcome {
        // Each file comes at a later time.
        core.clock.advance(seconds: 60)
        var file = ImportedFile(member)
        file.options.providers["naver.com"] = .init(provider: .naver)
        file.options.assertions[.naver] = "client"
        return try #require(try await file.run(at: core).outcomes.first)
    }

    private func status(_ core: TestCore) async throws -> MemberStatus? {
        guard let user = try await core.member(ofLegacy: "a") else { return nil }
        return try await core.member(user).status
    }

    private let person = ImportedMember.person("a", "123")

    @Test("Bans hold from the beginning, those that are over are history", arguments: Engine.available)
    func bans(engine: Engine) async throws {
        try await open(engine) { core in
            let now = core.clock.now.milliseconds
            let banned = person.with {
                $0.bans = [
                    ImportedBan(.temporary, beginDate: 1_000, endDate: 2_000, reason: "spam"),
                    ImportedBan(.temporary, endDate: 3_000),
                    ImportedBan(.temporary, beginDate: 1_700_000_000_000, endDate: now + 3_600_000, reason: "cheats"),
                ]
            }
            let outcome = try await bring(banned, core)
            #expect(outcome.kind == .created && outcome.notes.map(\.code) == [.lostBan])
            #expect(await code { try await core.player("123", .twitter) } == .bannedMember)
            let user = try #require(outcome.user)
            let bans = try await core.operator().run(.bans(of: user))
            #expect(bans.map(\.reason) == ["cheats", "spam"])
            #expect(bans.first?.beginsAt.milliseconds == 1_700_000_000_000)
            #expect(bans.allSatisfy { $0.caller == "SYSTEM" && $0.registeredBy == "import old" })
            core.clock.advance(seconds: 3_600)
            #expect(try await core.player("123", .twitter).user == user)
        }
    }

    @Test("A later file bans, changes a ban and lifts it", arguments: Engine.available)
    func laterBans(engine: Engine) async throws {
        try await open(engine) { core in
            let end = core.clock.in(seconds: 86_400)
            try await bring(person, core)
            let player = try await core.player("123", .twitter)
            let temporary = person.with { $0.bans = [ImportedBan(.temporary, beginDate: 5, endDate: end)] }
            #expect(try await bring(temporary, core).kind == .extended)
            #expect(try await status(core) == .banned)
            #expect(try await !player.isLoggedIn)
            try await bring(person.with { $0.bans = [ImportedBan(.permanent, beginDate: 5)] }, core)
            let bans = try await core.operator().run(.bans(of: player.user))
            #expect(bans.count == 1 && bans.first?.type == .permanent)
            #expect(try await bring(person, core).notes.isEmpty)
            #expect(try await status(core) == .normal)
            try await bring(temporary, core)
            #expect(try await status(core) == .banned)
            let history: [EventName] = [.memberImported, .banned, .banChanged, .banReleased, .banned]
            #expect(try await core.history(of: player.user) == history)
            try await core.expectInvariants()
        }
    }

    @Test("What operators do to a ban stays", arguments: Engine.available)
    func operatorsBans(engine: Engine) async throws {
        try await open(engine) { core in
            let banned = person.with { $0.bans = [ImportedBan(.permanent, beginDate: 5)] }
            let user = try #require(try await bring(banned, core).user)
            _ = try await core.operator().run(ReleaseBans(users: [user]))
            // Something else has changed in the record.
            let again = banned.with { $0.validSinceDate = 1 }
            #expect(try await bring(again, core).notes.map(\.code) == [.changedHere])
            #expect(try await status(core) == .normal)
            // A ban from here is none of the file's.
            try await core.ban([user])
            #expect(try await bring(person, core).notes.isEmpty)
            #expect(try await status(core) == .banned)
            #expect(try await bring(again, core).notes.map(\.code) == [.changedHere])
        }
    }

    @Test("Identities and devices are added where nothing has changed here", arguments: Engine.available)
    func identities(engine: Engine) async throws {
        try await open(engine) { core in
            try await bring(person, core)
            let both = person.with(naver: "456").with {
                $0.devices = [ImportedDevice(.deviceID, .plain("device-0123456789"))]
            }
            let added = try await bring(both, core)
            #expect(added.kind == .extended && added.notes.isEmpty)
            let player = try await core.player("456", .naver)
            #expect(player.user == added.user)
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_devices") == 1)
            // The player removes one again, and the next file does not bring it back.
            let other = try await core.player("123", .twitter)
            try await other.run(RemoveMapping(removal: MappingRemoval(provider: .naver)))
            let again = try await bring(both.with { $0.validSinceDate = 1 }, core)
            #expect(again.notes.map(\.code) == [.changedHere])
            #expect(try await core.member(player.user).mappings.map(\.provider) == [.twitter])
            // Nor does it replace the one that the player has.
            let moved = try await bring(.person("a", "789"), core)
            #expect(moved.notes.map(\.code) == [.changedHere])
            #expect(try await core.player("789", .twitter).user != player.user)
        }
    }

    @Test("A withdrawal comes along with its end, and a later file cancels it", arguments: Engine.available)
    func withdrawals(engine: Engine) async throws {
        try await open(engine) { core in
            let end = core.clock.in(seconds: 86_400)
            let leaving = person.with {
                $0.status = .withdrawn
                $0.gracePeriodDate = end
            }
            let user = try #require(try await bring(leaving, core).user)
            #expect(try await core.member(user).temporaryWithdrawal?.gracePeriodDate == end)
            try await bring(person, core)
            #expect(try await status(core) == .normal)
            try await bring(leaving, core)
            #expect(try await status(core) == .pendingWithdrawal)
            // The player stays, and the next file does not change that.
            try await core.player("123", .twitter).run(CancelWithdrawal())
            let again = try await bring(leaving.with { $0.validSinceDate = 1 }, core)
            #expect(again.notes.map(\.code) == [.changedHere])
            #expect(try await status(core) == .normal)
            #expect(try await bring(person, core).notes.isEmpty)
        }
    }

    @Test("A withdrawal that has come along is carried out at its end", arguments: Engine.available)
    func withdrawn(engine: Engine) async throws {
        try await open(engine) { core in
            let leaving = person.with {
                $0.status = .withdrawn
                $0.gracePeriodDate = core.clock.in(seconds: 600)
            }
            let user = try #require(try await bring(leaving, core).user)
            core.clock.advance(seconds: 600)
            try await core.sweep()
            #expect(try await core.member(user).status == .withdrawn)
            let outcome = try await bring(leaving, core)
            #expect(outcome.kind == .skipped)
        }
    }
}
