import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct StandingTests {
    @Test("INFO-1: the standing of a good member, and of a guest who would lose everything with the device")
    func good() async throws {
        try await World.open(on: .sqlite) { world in
            let mapped = try await world.logIn(.google, "alice").login.standing
            #expect(mapped.isPlayable)
            #expect(mapped.reason == .good)
            #expect(mapped.actions == [.play])
            #expect(mapped.message == nil)
            #expect(mapped.untilDate == nil)
            #expect(try await world.guest(TestDevice()).standing.actions == [.play, .secureGuest])
        }
    }

    @Test("START-3: an app that is not in service says why, until when and what to do, in the player's language")
    func notInService() async throws {
        try await World.open(on: .sqlite) { world in
            let device = TestDevice()
            let player = try await world.guestPlayer(device)
            let end = world.clock.now.adding(seconds: 3_600)
            try await world.run(
                SetMaintenance(begin: nil, end: end, message: ["en": "Back at nine.", "ko": "아홉 시에 돌아옵니다."], url: nil))
            world.clock.advance(seconds: 1)
            let heartbeat = try await world.send(
                .post, Endpoints.heartbeat.template, by: device, token: player.access.secretValue,
                headers: ["Accept-Language": "ko"]
            ).decoded(as: Heartbeat.self).standing
            #expect(!heartbeat.isPlayable)
            #expect(heartbeat.reason == .maintenance)
            #expect(heartbeat.untilDate == end.milliseconds)
            #expect(heartbeat.message == "아홉 시에 돌아옵니다.")
            #expect(heartbeat.actions == [.wait])
            // The refused login reports the same.
            let login = try await world.logIn(device)
            #expect(login.code == 3701)
            let standing = login.details?.standing
            #expect(standing?.reason == .maintenance)
            #expect(standing?.message == "Back at nine.")
            // Mapping is refused too (START-3); calls other than logins continue.
            #expect(try await world.map(.google, "alice", to: player).code == 3701)
            #expect(try await world.call(Endpoints.requestWithdrawal, Empty(), by: player).status == 200)
        }
    }

    @Test(
        "START-2: each status has its reason and its actions",
        arguments: [
            (LaunchingStatus.requireUpdate, StandingReason.updateRequired, [StandingAction.update]),
            (.terminated, .terminated, []), (.maintenanceOfAllServices, .maintenance, [.wait]),
            (.recommendUpdate, .updateRecommended, [.play, .update, .secureGuest]),
            (.inBeta, .good, [.play, .secureGuest]),
        ])
    func statuses(status: LaunchingStatus, reason: StandingReason, actions: [StandingAction]) async throws {
        try await World.open(on: .sqlite) { world in
            let player = try await world.guestPlayer()
            try await world.run(SetStatus(status: status, message: [:]))
            world.clock.advance(seconds: 1)
            let standing = try await world.heartbeat(player.device, player.access).decoded(as: Heartbeat.self).standing
            #expect(standing.reason == reason)
            #expect(standing.actions == actions)
            #expect(standing.isPlayable == status.isPlayable)
        }
    }
}
