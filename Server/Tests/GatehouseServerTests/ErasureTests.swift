import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

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

    @Test(
        "WDR-3: every step of a withdrawal is exported, page by page, and a step that is over is passed over",
        arguments: Engine.available)
    func export(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let early = try await world.guestPlayer()
            _ = try await world.call(Endpoints.withdraw, Empty(), by: early)
            world.clock.advance(seconds: 86_400)
            let begin = world.clock.now
            let gone = try await world.guestPlayer()
            let back = try await world.guestPlayer()
            _ = try await world.call(Endpoints.withdraw, Empty(), by: gone)
            _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: back)
            world.clock.advance(seconds: 60)
            _ = try await world.call(Endpoints.cancelWithdrawal, Empty(), by: back)
            var erasures: [Erasure] = []
            var page: ListErasures? = ListErasures(since: begin)
            while let list = page {
                let (found, next) = try await world.run(list)
                erasures += found
                page = next.map(ListErasures.init(after:))
            }
            #expect(erasures.map(\.user) == [gone.user, back.user, back.user])
            #expect(erasures.first?.step == .withdrawn)
            #expect(erasures.last?.step == .cancelled)
            // This database already has all of it.
            let replay = try await world.run(ReplayErasures(erasures), reason: "drill")
            #expect(replay == ErasureReplay(passedOver: 2))
            #expect(try await world.run(ReplayErasures([]), reason: "drill") == ErasureReplay())
            let foreign = Erasure(app: "nowhere", user: gone.user, step: .withdrawn, moment: begin)
            #expect(try await world.run(ReplayErasures([foreign]), reason: "drill").passedOver == 1)

            // A player's decision after the restore takes precedence over an old file.
            world.clock.advance(seconds: 60)
            _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: back)
            #expect(try await world.run(ReplayErasures(erasures), reason: "drill").staying.isEmpty)
            #expect(try await world.report(back.user).member.status == .pendingWithdrawal)
        }
    }

    @Test(
        "WDR-3: of a copy that is older than its deadline, who had cancelled stays, and who had not leaves",
        arguments: Engine.available)
    func pending(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let staying = try await world.guestPlayer()
            let leaving = try await world.guestPlayer()
            let asking = try await world.guestPlayer()
            for player in [staying, leaving] {
                _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: player)
            }
            // The copy is made at this moment: what follows is only in the export.
            let later = world.clock.now.adding(seconds: 60)
            let end = later.adding(seconds: 30 * 86_400)
            world.clock.advance(seconds: 20 * 86_400)
            let replay = try await world.run(
                ReplayErasures([
                    Erasure(app: World.app, user: staying.user, step: .cancelled, moment: later),
                    Erasure(app: World.app, user: asking.user, step: .requested(end: end), moment: later),
                    Erasure(app: World.app, user: leaving.user, step: .withdrawn, moment: later),
                ]), reason: "drill")
            #expect(replay.staying == [staying.user])
            #expect(replay.pending == [asking.user])
            #expect(replay.withdrawn == [leaving.user])
            try await world.sweep()
            #expect(try await world.report(staying.user).member.status == .normal)
            #expect(try await world.report(leaving.user).member.status == .withdrawn)
            let member = try await world.report(asking.user).member
            #expect(member.temporaryWithdrawal?.gracePeriodDate == end.milliseconds)
        }
    }
}
