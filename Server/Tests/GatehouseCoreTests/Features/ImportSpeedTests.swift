import GatehouseImport
import GatehouseSecurity
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// How fast an import is, and how long it will take.
@Suite struct ImportSpeedTests {
    private static let begin = Moment(milliseconds: 1_795_219_200_000)

    private static func speed(_ read: Int, in milliseconds: Int64, left: Int?) -> ImportSpeed? {
        ImportSpeed(
            read: read, since: begin, until: Moment(milliseconds: begin.milliseconds + milliseconds), left: left)
    }

    @Test("The time that is left follows from the records that were read until the last batch")
    func rate() throws {
        let speed = try #require(Self.speed(5_000, in: 2_500, left: 10_001))
        #expect(speed.recordsPerSecond == 2_000 && speed.secondsLeft == 6)
        #expect(try #require(Self.speed(5_000, in: 2_500, left: nil)).secondsLeft == nil)
        #expect(Self.speed(5_000, in: 2_500, left: 0)?.secondsLeft == 0)
        // Before the first batch, with a clock that went back, or with numbers of a strange database nothing is known.
        for (read, milliseconds) in [(0, 2_500), (5_000, 0), (5_000, -1), (-5, 2_500)] as [(Int, Int64)] {
            #expect(Self.speed(read, in: milliseconds, left: 9) == nil)
        }
        #expect(ImportSpeed(read: 1, since: Moment(milliseconds: .min), until: Self.begin, left: 1) == nil)
        #expect(Self.speed(1, in: .max / 2, left: .max)?.secondsLeft == 1_000_000_000)
    }

    @Test("The speed of a run that was cut is that since it went on", arguments: Engine.available)
    func cut(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            var file = ImportedFile((0..<12).map { .guest("p\($0)") })
            file.options.batch = 4
            let task = try await file.task(at: core)
            let begun = try await core.operator().run(BeginImport(task, digest: file.digest, records: 12))
            #expect(try begun.speed == nil && begun.records == 12 && begun.isGoingOn(at: core.clock.now))
            core.clock.advance(seconds: 2)
            _ = try await file.goOn(begun, task, at: core, batches: 1)
            let first = try await core.operator().run(.importRun(begun.id))
            #expect(try first.speed?.recordsPerSecond == 2 && first.speed?.secondsLeft == 4)
            core.clock.advance(seconds: 3_600)
            #expect(!first.isGoingOn(at: core.clock.now))
            let resumed = try await core.operator().run(ResumeImport(id: begun.id, digest: file.digest))
            #expect(try resumed.speed == nil && resumed.resumedFrom == 4)
            core.clock.advance(seconds: 1)
            _ = try await file.goOn(resumed, task, at: core, batches: 1)
            let second = try await core.operator().run(.importRun(begun.id))
            #expect(try second.speed?.recordsPerSecond == 4 && second.speed?.secondsLeft == 1)
            let done = try await file.goOn(second, task, at: core)
            #expect(try done.run.speed == nil && done.counts.read == 12 && !done.run.isGoingOn(at: core.clock.now))
        }
    }
}
