import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Withdrawals that are repeated in a restored database.
@Suite struct ErasureTests {
    @Test("WDR-3: a line of an export is read as it was written, and so is an audit line of a log")
    func lines() throws {
        let moment = Moment(milliseconds: 1_795_219_200_000)
        for step in [Erasure.Step.withdrawn, .cancelled, .requested(end: moment.adding(seconds: 60))] {
            let erasure = Erasure(app: "game", user: UserID("USER"), step: step, moment: moment)
            #expect(try Erasure(line: erasure.line) == erasure)
        }
        let log =
            #"{"time":1795219200000,"level":"info","label":"gatehouse","message":"audit","actor":"system","appId":"game","audit":"member.withdrawn","userId":"USER"}"#
        let expected = Erasure(app: "game", user: UserID("USER"), step: .withdrawn, moment: moment)
        #expect(try Erasure(line: log) == expected)
        #expect(try Erasure(line: "Nov 22 host gatehouse[1]: \(log)\r") == expected)
        let request = log.replacing(
            #""audit":"member.withdrawn""#, with: #""audit":"withdrawal.requested","endDate":"1795219260000""#)
        #expect(try Erasure(line: request).step == .requested(end: moment.adding(seconds: 60)))
        for other in [
            "", "{", "nonsense", log.replacing("member.withdrawn", with: "member.banned"), "member.withdrawn",
        ] {
            #expect(throws: Erasure.Unreadable.ofSomethingElse, "\(other)") { try Erasure(line: other) }
        }
        for broken in [
            String(log.dropLast()), log.replacing(#""userId":"USER""#, with: #""x":1"#),
            log.replacing("1795219200000", with: "99999999999999999999"), log.replacing("1795219200000", with: "-1"),
            request.replacing("1795219260000", with: "soon"), request.replacing(#""endDate""#, with: #""x""#),
        ] {
            #expect(throws: Erasure.Unreadable.broken, "\(broken)") { try Erasure(line: broken) }
        }
    }

    private func replay(_ erasures: [Erasure], _ core: TestCore) async throws -> ErasureReplay {
        try await core.actions.run(
            ReplayErasures(erasures), by: .operator("mia", reason: "drill"), at: core.clock.now)
    }

    @Test(
        "WDR-3: every step of a withdrawal is exported, page by page, and a step that is over is passed over",
        arguments: Engine.available)
    func export(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await core.guest("early").run(Withdraw())
            core.clock.advance(days: 1)
            let begin = core.clock.now
            let (gone, back) = (try await core.guest("gone"), try await core.guest("back"))
            try await gone.run(Withdraw())
            try await back.run(RequestWithdrawal())
            core.clock.advance(seconds: 60)
            try await back.run(CancelWithdrawal())
            var erasures: [Erasure] = []
            var page: ListErasures? = ListErasures(since: begin)
            while let list = page {
                let (found, next) = try await core.actions.run(list, by: .operator("mia"), at: core.clock.now)
                erasures += found
                page = next.map(ListErasures.init(after:))
            }
            #expect(erasures.map(\.user) == [gone.user, back.user, back.user])
            #expect(erasures.first?.step == .withdrawn && erasures.last?.step == .cancelled)
            // This database already has all of it.
            #expect(try await replay(erasures, core) == ErasureReplay(passedOver: 2))
            #expect(try await replay([], core) == ErasureReplay())
            let foreign = Erasure(app: "nowhere", user: gone.user, step: .withdrawn, moment: begin)
            #expect(try await replay([foreign], core).passedOver == 1)

            // A player's decision after the restore takes precedence over an old file.
            core.clock.advance(seconds: 60)
            try await back.run(RequestWithdrawal())
            #expect(try await replay(erasures, core).staying.isEmpty)
            #expect(try await core.member(back.user).status == .pendingWithdrawal)
        }
    }

    @Test(
        "WDR-3: of a copy that is older than its deadline, who had cancelled stays, and who had not leaves",
        arguments: Engine.available)
    func pending(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let (staying, leaving) = (try await core.guest("staying"), try await core.guest("leaving"))
            let asking = try await core.guest("asking")
            for player in [staying, leaving] { try await player.run(RequestWithdrawal()) }
            // The copy is made at this moment: what follows is only in the export.
            let later = core.clock.now.adding(seconds: 60)
            let end = later.adding(seconds: 30 * 86_400)
            core.clock.advance(days: 20)
            let found = try await replay(
                [
                    Erasure(app: TestCore.app, user: staying.user, step: .cancelled, moment: later),
                    Erasure(app: TestCore.app, user: asking.user, step: .requested(end: end), moment: later),
                    Erasure(app: TestCore.app, user: leaving.user, step: .withdrawn, moment: later),
                ], core)
            #expect(found.staying == [staying.user])
            #expect(found.pending == [asking.user])
            #expect(found.withdrawn == [leaving.user])
            try await core.sweep()
            #expect(try await core.member(staying.user).status == .normal)
            #expect(try await core.member(leaving.user).status == .withdrawn)
            let member = try await core.member(asking.user)
            #expect(member.temporaryWithdrawal?.gracePeriodDate == end.milliseconds)
        }
    }
}
