import GatehouseImport
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Runs of imports: one at a time, cut anywhere, and gone on with.
@Suite struct ImportRunTests {
    private static func file(_ count: Int = 10, batch: Int = 3) -> ImportedFile {
        var file = ImportedFile(
            (0..<count).map { number in
                ImportedMember.person("p\(number)", "\(number)").with {
                    $0.devices = [ImportedDevice(.deviceID, .plain("device-number-\(number)"))]
                    $0.bans = number == 4 ? [ImportedBan(.permanent)] : []
                }
            })
        file.options.batch = batch
        return file
    }

    private func failure<Value>(_ call: () async throws -> Value) async -> ImportFailure.Code? {
        await #expect(throws: ImportFailure.self) { try await call() }?.code
    }

    @Test("A run that is cut after any batch goes on to the same end", arguments: Engine.available)
    func cut(engine: Engine) async throws {
        let file = Self.file()
        var whole: [String] = []
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            let result = try await file.run(at: core)
            let written = try await core.imported()
            #expect(written.count == 10 && result.words.allSatisfy { $0 == "created" }, "\(result.words)")
        }
        for batches in 0...4 {
            let end: [String] = try await withCollected { collect in
                try await TestCore.open(engine) { core in
                    try await ImportedFile.setSource(at: core)
                    let (task, run) = try await file.begin(at: core)
                    let cut = try await file.goOn(run, task, at: core, batches: batches)
                    core.clock.advance(seconds: ImportRules.leaseSeconds + 1)
                    if batches < 4 {
                        let again = try await core.operator().run(ResumeImport(id: run.id, digest: file.digest))
                        #expect(again.checkpoint == cut.run.checkpoint)
                        let done = try await file.goOn(again, file.task(at: core), at: core)
                        #expect(done.run.state == .done)
                        #expect(try done.counts.created == 10 && done.counts.read == 10)
                    }
                    try await core.expectInvariants()
                    await collect(try await core.imported())
                }
            }
            if whole.isEmpty { whole = end }
            #expect(end.count == 10 && end == whole)
        }
    }

    /// The lines that a test on a database of its own has collected.
    private func withCollected(
        _ body: (@escaping @Sendable ([String]) async -> Void) async throws -> Void
    ) async throws -> [String] {
        actor Lines {
            var all: [String] = []
            func add(_ lines: [String]) { all += lines }
        }
        let lines = Lines()
        try await body { await lines.add($0) }
        return await lines.all
    }

    @Test("One process at a time imports players of an app", arguments: Engine.available)
    func lease(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { first, second in
            try await ImportedFile.setSource(at: first)
            let file = Self.file()
            let (task, run) = try await file.begin(at: first)
            #expect(await failure { try await file.begin(at: second) } == .busy)
            #expect(
                await failure {
                    try await second.operator().run(ResumeImport(id: run.id, digest: file.digest))
                } == .busy)
            let cut = try await file.goOn(run, task, at: first, batches: 1)
            first.clock.advance(seconds: ImportRules.leaseSeconds + 1)
            let taken = try await second.operator().run(ResumeImport(id: run.id, digest: file.digest))
            // The first one was only slow, and has lost the run.
            #expect(await failure { try await file.goOn(cut.run, task, at: first) } == .busy)
            let done = try await file.goOn(taken, task, at: second)
            #expect(try done.counts.created == 10)
            #expect(
                await failure { try await second.operator().run(ResumeImport(id: run.id, digest: file.digest)) }
                    == .ended)
            #expect(try await first.operator().run(.importRuns()).map(\.id) == [run.id])
        }
    }

    @Test("Of two processes that begin at once, one does", arguments: Engine.available)
    func race(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { first, second in
            try await ImportedFile.setSource(at: first)
            let file = Self.file()
            let codes = try await together(8) { number -> ImportFailure.Code? in
                do {
                    _ = try await file.begin(at: number % 2 == 0 ? first : second)
                    return nil
                } catch let failure as ImportFailure {
                    return failure.code
                }
            }
            #expect(codes.filter { $0 == nil }.count == 1 && codes.filter { $0 == .busy }.count == 7)
        }
    }

    @Test("A run goes on with its own file alone", arguments: Engine.available)
    func otherFile(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            let (_, run) = try await Self.file().begin(at: core)
            core.clock.advance(seconds: ImportRules.leaseSeconds + 1)
            let digest = try Self.file(9).digest
            #expect(
                await failure { try await core.operator().run(ResumeImport(id: run.id, digest: digest)) } == .otherFile)
            #expect(await failure { try await core.operator().run(ResumeImport(id: "R", digest: digest)) } == .noRun)
        }
    }

    @Test(
        "A record that the database does not take is rejected by name, and the others come", arguments: Engine.available
    )
    func refused(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            try await core.database.transact { tx in
                try tx.execute("CREATE UNIQUE INDEX members_one_a_day ON members (registered_at)")
            }
            var file = Self.file(10, batch: 10)
            for index in file.members.indices { file.members[index].registrationDate = Int64(index == 7 ? 6 : index) }
            let result = try await file.run(at: core)
            // Another test gets the database next.
            try await core.database.transact { tx in try tx.execute("DROP INDEX members_one_a_day") }
            let words = (0..<10).map { $0 == 7 ? "rejected refused" : "created" }
            #expect(result.words == words)
            #expect(result.outcomes.first { $0.kind == .rejected }?.legacyID == "p7")
            #expect(try result.counts.rejected == ["refused": 1] && result.counts.created == 9)
            #expect(result.run.checkpoint == 11)
        }
    }

    @Test("Of an import and logins of the same players at once, each has one member", arguments: Engine.available)
    func logins(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            let file = Self.file(8, batch: 2)
            let results = try await together(9) { number -> ImportCounts? in
                guard number < 8 else { return try await file.run(at: core).counts }
                _ = try? await core.player("\(number)", .twitter, on: "phone-\(number)")
                return nil
            }
            let counts = try #require(results.compactMap(\.self).first)
            #expect(counts.created + counts.adopted == 8 && counts.isClean)
            #expect(try await core.count("SELECT COUNT(*) FROM members") == 8)
            #expect(try await core.count("SELECT COUNT(*) FROM identities") == 8)
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_members") == 8)
            try await core.expectInvariants()
        }
    }

    private func verify(_ file: ImportedFile, at core: TestCore) async throws -> VerifyImport.Result {
        try await core.operator().run(VerifyImport(file.task(at: core), file.records()))
    }

    @Test("A run is compared with its file again", arguments: Engine.available)
    func verified(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            var file = Self.file()
            #expect(try await verify(file, at: core).differences.map(\.kind) == Array(repeating: .missing, count: 10))
            try await file.run(at: core)
            let same = try await verify(file, at: core)
            #expect(same.same == 10 && same.differences.isEmpty && same.banned == 1)
            #expect(same.identities == ["twitter": 10] && same.statuses == ["Y": 9, "B": 1])
            let banned = try #require(try await core.member(ofLegacy: "p4"))
            _ = try await core.operator().run(ReleaseBans(users: [banned]))
            file.members[0].validSinceDate = 1
            let changed = try await verify(file, at: core)
            #expect(changed.same == 8 && changed.differences.map(\.kind) == [.otherRecord, .ban])
        }
    }

    @Test("Undoing a run deletes whom nobody has used, and names the others", arguments: Engine.available)
    func undone(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            let early = try await core.player("1", .twitter, on: "early").user
            let file = Self.file()
            let run = try await file.run(at: core).run
            #expect(try run.progress.adopted == 1)
            core.clock.advance(seconds: 60)
            let back = try await core.player("2", .twitter, on: "back").user
            let banned = try #require(try await core.member(ofLegacy: "p3"))
            try await core.ban([banned])
            let result = try await core.operator().run(UndoImport(id: run.id))
            #expect(result.deleted == 7 && Set(result.left.map(\.user)) == [back, banned])
            #expect(result.counts == ["used": 1, "changed": 1])
            #expect(try await core.count("SELECT COUNT(*) FROM members") == 3)
            #expect(try await core.count("SELECT COUNT(*) FROM identities") == 3)
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_devices") == 2)
            #expect(try await core.member(ofLegacy: "p1") == early)
            try await core.expectInvariants()
            #expect(try await core.operator().run(UndoImport(id: run.id)).deleted == 0)
            core.clock.advance(seconds: ImportRules.leaseSeconds)
            #expect(
                await failure { try await core.operator().run(ResumeImport(id: run.id, digest: file.digest)) } == .ended
            )
            // The members who were deleted can come again.
            let again = try await file.run(at: core)
            #expect(try again.counts.created == 7 && again.counts.unchanged == 3)
        }
    }

    @Test(
        "Undoing a run says why each member stays: a later file, another source, a device", arguments: Engine.available)
    func undoneLeft(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            var file = Self.file(8, batch: 500)
            let run = try await file.run(at: core).run
            core.clock.advance(seconds: 60)
            let user = { (id: String) in try #require(try await core.member(ofLegacy: id)) }
            // A later file bans the first, brings a device of the second, and says nothing of the third that is written to the member.
            file.members[0].bans = [ImportedBan(.permanent)]
            file.members[1].devices.append(ImportedDevice(.deviceID, .plain("another-device-1")))
            file.members[2].validSinceDate = 1_700_000_000_000
            let later = try await file.run(at: core)
            #expect(try later.counts.extended == 3)
            let (banned, extended, fourth, fifth) = (
                try await user("p0"), try await user("p1"), try await user("p3"), try await user("p5")
            )
            try await core.ban([fourth])
            let app = TestCore.app
            try await core.database.transact { [now = core.clock.now] tx in
                let other = LegacyMember(source: "other", legacyID: "x", user: fifth, importedAt: now)
                try LegacyQueries.insert(other, app: app, in: tx)
                let claimed = try #require(try LegacyQueries.member("p6", source: "old", app: app, in: tx))
                try LegacyQueries.claim(claimed, by: KeyThumbprint("key"), app: app, at: now, in: tx)
            }
            let result = try await core.operator().run(UndoImport(id: run.id))
            let codes = Dictionary(uniqueKeysWithValues: result.left.map { ($0.user, $0.code) })
            #expect(
                codes == [
                    banned: .changedByFile, extended: .changedByFile, fourth: .changed, fifth: .otherSource,
                    try await user("p6"): .claimed,
                ])
            #expect(result.deleted == 3)
            #expect(
                result.counts == ["changedByFile": 2, "changed": 1, "otherSource": 1, "claimed": 1])
            try await core.expectInvariants()
        }
    }

    @Test("A rate holds an import back, and does not make up for time that was lost")
    func rate() async throws {
        let clock = Clock()
        let nanoseconds: @Sendable () -> UInt64 = { UInt64(clock.now.milliseconds) * 1_000_000 }
        var free = ImportPace(nil, clock: nanoseconds)
        #expect(free.size(atMost: 500) == 500 && free.wait(after: 500) == 0)
        var pace = ImportPace(100, clock: nanoseconds)
        #expect(pace.size(atMost: 500) == 100 && pace.size(atMost: 50) == 50)
        #expect(pace.wait(after: 50) == 500_000_000)
        clock.advance(milliseconds: 500)
        #expect(pace.wait(after: 25) == 250_000_000)
        clock.advance(milliseconds: 10_000)
        #expect(pace.wait(after: 100) == 0)
        #expect(pace.wait(after: 100) == 1_000_000_000)
        try await TestCore.open { core in
            try await ImportedFile.setSource(at: core)
            for rate in [0, -1, 1_000_001] {
                var file = Self.file()
                file.options.rate = rate
                #expect(await failure { try await file.begin(at: core) } == .badOption)
            }
        }
    }

    @Test("Ids that look alike and have other bytes are other players", arguments: Engine.available)
    func alike(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            try await ImportedFile(.guest("Zo\u{eb}")).run(at: core)
            let other = try await ImportedFile(.guest("Zoe\u{308}")).run(at: core)
            #expect(other.words == ["created"])
            // In one file Swift would take one for the other, so neither comes in.
            let both = try await ImportedFile(.guest("Ame\u{301}"), .guest("Am\u{e9}"), .guest("x")).run(at: core)
            #expect(both.words == ["skipped twiceInFile", "skipped twiceInFile", "created"])
        }
    }
}
