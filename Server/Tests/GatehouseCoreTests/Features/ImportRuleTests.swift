import GatehouseImport
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What an import does with a record, by what the database has: the plan says it before, and the import does it.
@Suite struct ImportRuleTests {
    private static func withNaver(_ file: ImportedFile) -> ImportedFile {
        var file = file
        file.options.providers["naver.com"] = .init(provider: .naver)
        file.options.assertions[.naver] = "client"
        return file
    }

    /// What tells of a run itself.
    private static let ofRuns: Set<String> = ["import_runs", "audit_log", "operator_actions"]

    /// Expects that the plan says what the import does then, and that the plan has changed nothing.
    @discardableResult
    private func expect(
        _ words: [String], _ file: ImportedFile, _ core: TestCore, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ImportedFile.Result {
        let before = try await core.database.tables()
        let plan = try await file.plan(at: core)
        #expect(ImportedFile.words(plan) == words, sourceLocation: sourceLocation)
        #expect(try await core.changed(since: before).isEmpty, sourceLocation: sourceLocation)
        let result = try await file.run(at: core)
        #expect(result.words == words, sourceLocation: sourceLocation)
        #expect(plan.map(\.notes) == result.outcomes.map(\.notes), sourceLocation: sourceLocation)
        #expect(plan.map(\.holder) == result.outcomes.map(\.holder), sourceLocation: sourceLocation)
        #expect(try result.counts.read == file.members.count, sourceLocation: sourceLocation)
        try await core.expectInvariants()
        // The same file again changes nothing but the list of runs.
        let after = try await core.database.tables()
        _ = try await file.run(at: core)
        let changed = try await core.changed(since: after)
        #expect(changed == Self.ofRuns, "\(changed)", sourceLocation: sourceLocation)
        return result
    }

    private func open(
        _ engine: Engine, _ test: @escaping @Sendable (TestCore) async throws -> Void
    ) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            try await test(core)
        }
    }

    @Test(
        "A member comes with its dates and logs in by its identity; its user id is drawn now",
        arguments: Engine.available)
    func created(engine: Engine) async throws {
        try await open(engine) { core in
            let file = ImportedFile(.person("a", "123"), .guest("b", device: "device-0123456789"))
            let result = try await expect(["created", "created"], file, core)
            let user = try #require(try await core.member(ofLegacy: "a"))
            #expect(result.outcomes.first?.user == user)
            #expect(user.rawValue >= TimeOrderedID.firstUser(at: core.clock.now).rawValue)
            let member = try await core.member(user)
            #expect(member.registrationDate == 1_420_070_400_000 && member.lastLoginDate == 1_700_000_000_000)
            #expect(try await core.history(of: user) == [.memberImported])
            let entry = try #require(try await core.ledger(of: user).first)
            #expect(entry.origin.name == "import old" && entry.origin.reason?.contains(result.run.id) == true)
            let login = try await core.player("123", .twitter).login
            #expect(login.member.userId == user)
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_devices") == 1)
        }
    }

    @Test("A player who came before the file gets the legacy id, and keeps all else", arguments: Engine.available)
    func adopted(engine: Engine) async throws {
        try await open(engine) { core in
            let early = try await core.player("123", .twitter).user
            var file = ImportedFile(.person("a", "123").with { $0.bans = [ImportedBan(.permanent)] })
            file.options.heldIdentities = .report
            #expect(ImportedFile.words(try await file.plan(at: core)) == ["skipped held"])
            file.options.heldIdentities = .adopt
            try await expect(["adopted"], file, core)
            #expect(try await core.member(ofLegacy: "a") == early)
            #expect(try await core.member(early).status == .normal)
        }
    }

    @Test("An identity of a member with another id of the source is held", arguments: Engine.available)
    func held(engine: Engine) async throws {
        try await open(engine) { core in
            try await ImportedFile(.person("a", "123")).run(at: core)
            let holder = try await core.member(ofLegacy: "a")
            let result = try await expect(["skipped held"], ImportedFile(.person("b", "123")), core)
            #expect(result.outcomes.first?.holder == holder)
            #expect(try result.counts.skipped == ["held": 1])
        }
    }

    @Test("Of identities that two members have, the operator decides", arguments: Engine.available)
    func heldByTwo(engine: Engine) async throws {
        try await open(engine) { core in
            let one = try await core.player("123", .twitter, on: "phone").user
            let other = try await core.player("456", .naver, on: "tablet").user
            var file = Self.withNaver(ImportedFile(.person("a", "123").with(naver: "456"), .person("b", "789")))
            file.options.resolutions["b"] = .skip
            try await expect(["skipped heldByTwo", "skipped skipped"], file, core)
            file.options.resolutions["a"] = .member(UserID("SOMEBODYELSE"))
            #expect(ImportedFile.words(try await file.plan(at: core)).first == "skipped heldByTwo")
            file.options.resolutions["a"] = .member(other)
            try await expect(["adopted", "skipped skipped"], file, core)
            #expect(try await core.member(ofLegacy: "a") == other && other != one)
        }
    }

    @Test("What stands in two records is none of theirs", arguments: Engine.available)
    func twice(engine: Engine) async throws {
        try await open(engine) { core in
            let device = "device-0123456789"
            let file = ImportedFile(
                .person("a", "1"), .person("b", "1"), .guest("c", device: device), .guest("d", device: device),
                .guest("e"), .guest("e"), .guest("f"))
            let twice = "skipped twiceInFile"
            try await expect([twice, twice, twice, twice, twice, twice, "created"], file, core)
        }
    }

    @Test("Simple ids of devices, and those of two kinds, are left out", arguments: Engine.available)
    func weak(engine: Engine) async throws {
        try await open(engine) { core in
            let ids = ["short", "aaaaaaaaaaaaaaaa", "00000000-0000-0000-0000-000000000000", "9774D56D682E549C"]
            let both = [ImportedDevice.Kind.deviceID, .customID].map { ImportedDevice($0, .plain("id-of-two-kinds")) }
            let file = ImportedFile(
                .guest("a").with { $0.devices = ids.map { ImportedDevice(.deviceID, .plain($0)) } + both },
                .guest("b", device: "device-0123456789"))
            let result = try await expect(["created", "created"], file, core)
            #expect(result.notes == [Array(repeating: .weakDevice, count: 6), []])
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_devices") == 1)
            let later = try await expect(["created"], ImportedFile(.guest("c", device: "device-0123456789")), core)
            #expect(later.notes == [[.deviceHeld]])
        }
    }

    @Test("A user id is kept if it is free", arguments: Engine.available)
    func keptIDs(engine: Engine) async throws {
        try await open(engine) { core in
            let taken = try await core.guest().user
            let free = String(repeating: String(UserID.alphabet.first ?? "B"), count: UserID.length)
            var file = ImportedFile(
                .guest("a").with { $0.userID = taken.rawValue }, .guest("b").with { $0.userID = free })
            file.options.userIDs = .keep
            let result = try await expect(["skipped userIdTaken", "created"], file, core)
            #expect(result.outcomes.map(\.holder) == [taken, nil])
            #expect(try await core.member(ofLegacy: "b") == UserID(free))
            file.members.append(.guest("c"))
            let failure = await #expect(throws: ImportFailure.self) { try await file.plan(at: core) }
            #expect(failure?.code == .noUserIDs)
        }
    }

    @Test("Who has withdrawn here stays away, and who has withdrawn there does not come", arguments: Engine.available)
    func erased(engine: Engine) async throws {
        try await open(engine) { core in
            let file = ImportedFile(.person("a", "123"))
            try await file.run(at: core)
            try await core.player("123", .twitter).run(Withdraw())
            let gone = ImportedMember(legacyID: "b", status: .withdrawn).with { $0.gracePeriodDate = 1_700_000_000_000 }
            try await expect(["skipped erased", "skipped withdrawn"], ImportedFile(file.members + [gone]), core)
            // By another name of the same person, too, nothing of the old member comes back.
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_members") == 0)
        }
    }

    @Test("Identities that no login would find are left out by name", arguments: Engine.available)
    func leftOut(engine: Engine) async throws {
        try await open(engine) { core in
            let file = ImportedFile(
                .person("a", "1").with {
                    $0.identities.append(ImportedIdentity(provider: "twitter.com", subject: "2", registrationDate: 7))
                    $0.identities.append(ImportedIdentity(provider: "mars.example", subject: "3"))
                })
            let result = try await expect(["created"], file, core)
            #expect(result.notes == [[.leftOut, .noProvider]])
            #expect(result.outcomes.first?.notes.first?.path == "identities[0]")
            #expect(try await core.player("2", .twitter).login.member.userId == core.member(ofLegacy: "a"))
        }
    }

    @Test(
        "Identities of a provider that the operator leaves out do not come in, and are counted",
        arguments: Engine.available)
    func omitted(engine: Engine) async throws {
        try await open(engine) { core in
            // Nobody has asserted whose subjects of Naver they are, and they have another form than Twitter's.
            var file = ImportedFile(
                .person("a", "1").with(naver: "2"), .person("b", "mr-x"), .guest("c"), .person("d", "4"))
            file.options.providers = ["twitter.com": .omitted, "naver.com": .omitted, "apple.com": .omitted]
            var survey = ImportSurvey(try await file.task(at: core).mapping)
            for record in try file.records() { survey.add(record) }
            #expect(survey.omitted == ["twitter.com": 3, "naver.com": 1, "apple.com": 0])
            #expect(survey.mapped.isEmpty && survey.notes == ["omitted": 4])
            let result = try await expect(Array(repeating: "created", count: 4), file, core)
            #expect(result.notes == [[.omitted, .omitted], [.omitted], [], [.omitted]])
            #expect(try result.counts.notes == ["omitted": 4] && result.counts.identities.isEmpty)
            #expect(try await core.count("SELECT COUNT(*) FROM identities") == 0)
            // A run that was cut goes on with the same choice.
            #expect(try result.run.choices == file.options)
        }
    }

    @Test("A file with ids of another kind, or of nobody knows whom, is not imported", arguments: Engine.available)
    func refusedFiles(engine: Engine) async throws {
        try await open(engine) { core in
            let code = { (file: ImportedFile) async -> ImportFailure.Code? in
                await #expect(throws: ImportFailure.self) { try await file.begin(at: core) }?.code
            }
            let good = (1...98).map { ImportedMember.person("p\($0)", "\($0)") }
            #expect(await code(ImportedFile(good + [.person("x", "mr-x"), .person("y", "mr-y")])) == .misfits)
            // One of a hundred may be wrong.
            #expect(
                ImportedFile.words(
                    try await ImportedFile(good + [.person("y", "7777"), .person("x", "mr-x")]).plan(at: core)
                ).allSatisfy { $0 == "created" })
            var file = ImportedFile(.person("a", "1").with(naver: "2"))
            file.options.providers["naver.com"] = .init(provider: .naver)
            #expect(await code(file) == .unasserted)
            file.options.assertions[.naver] = "other"
            #expect(await code(file) == .unasserted)
            file.options.providers["naver.com"] = .init(provider: .naver, namespace: "elsewhere")
            #expect(await code(file) == .badOption)
            file.options.providers["naver.com"] = .init(provider: .line)
            #expect(await code(file) == .badOption)
            try await core.operator().run(CloseLegacySource(name: ImportedFile.source))
            #expect(await code(ImportedFile(.guest("a"))) == .noSource)
        }
    }
}

extension TestCore {
    /// The tables that have changed.
    fileprivate func changed(since before: [String: String]) async throws -> Set<String> {
        Set(try await database.tables().filter { before[$0.key] != $0.value }.keys)
    }
}
