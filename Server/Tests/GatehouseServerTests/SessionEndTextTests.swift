import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct SessionEndTextTests {
    @Test(
        "BAN-6, TRANSFER-7: the old device reads in its language that the transfer is complete, also at its next start",
        arguments: Engine.available)
    func transferred(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            #expect(try await world.redeem(world.issue(for: guest), on: TestDevice()).status == 200)
            for (language, beginning) in [
                ("en", "The transfer is complete"), ("ko-KR", "이전이 완료되었습니다"), ("ja", "引き継ぎが完了しました"),
                ("fr", "The transfer is complete"),
            ] {
                let headers = ["Accept-Language": language]
                let live = try await world.send(
                    .post, Endpoints.heartbeat.template, by: guest.device, token: guest.access.secretValue,
                    headers: headers)
                let start = try await world.send(
                    .post, Endpoints.logInWithLastProvider.template, by: guest.device,
                    token: guest.login.session.refreshToken?.secretValue ?? "", headers: headers)
                #expect([live.code, start.code] == [3011, 3102])
                for answer in [live, start] {
                    #expect(answer.reason == "transferred")
                    #expect(answer.details?.message?.hasPrefix(beginning) == true)
                }
            }
        }
    }

    @Test(
        "SES-11, BAN-6: a device that is logged out alone has the server's text for its player, in three languages",
        arguments: Engine.available)
    func oneSession(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let (lost, kept) = (try await world.logIn(.google, "alice"), try await world.logIn(.google, "alice"))
            #expect(try await world.call(Endpoints.endOtherSessions, Empty(), by: kept).status == 200)
            for (language, beginning) in [
                ("en", "You have logged this device out"), ("ko", "다른 기기에서"), ("ja", "別の端末から"),
            ] {
                let answer = try await world.send(
                    .post, Endpoints.heartbeat.template, by: lost.device, token: lost.access.secretValue,
                    headers: ["Accept-Language": language])
                #expect(answer.reason == "ended_elsewhere")
                #expect(answer.details?.message?.hasPrefix(beginning) == true)
            }
            let id = try await world.checkToken(kept.access).decoded(as: TokenCheck.self).sessionId
            try await world.run(EndMemberSession(session: id, of: kept.user), reason: "asked")
            let answer = try await world.heartbeat(kept.device, kept.access)
            #expect(answer.reason == "kicked_out")
            #expect(answer.details?.message?.hasSuffix("Please log in again.") == true)
        }
    }

    @Test(
        "SES-5: a device whose identity has left its account has a text for its player, in three languages",
        arguments: Engine.available)
    func identityRemoved(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            // The guest's identity ends with the first mapping, and with it what the guest's other session was opened with.
            let other = try await world.logIn(guest.device).decoded(as: Login.self)
            _ = try await world.map(.google, "alice", to: guest)
            for (language, beginning) in [("en", "Your way to log in"), ("ko", "사용하시던 로그인"), ("ja", "ご利用のログイン")] {
                let answer = try await world.send(
                    .post, Endpoints.heartbeat.template, by: guest.device, token: other.session.accessToken.secretValue,
                    headers: ["Accept-Language": language])
                #expect(answer.reason == "identity_removed")
                #expect(answer.details?.message?.hasPrefix(beginning) == true)
            }
        }
    }

    @Test(
        "BAN-5, BAN-6: a kick-out without a text of the operator's has the server's own, in three languages",
        arguments: Engine.available)
    func kickedOut(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let (one, other) = (try await world.guestPlayer(), try await world.guestPlayer())
            try await world.run(KickOut(user: one.user, message: [:]))
            @Sendable func message(_ player: Player, _ language: String) async throws -> String? {
                let answer = try await world.send(
                    .post, Endpoints.heartbeat.template, by: player.device, token: player.access.secretValue,
                    headers: ["Accept-Language": language])
                #expect(answer.reason == "kicked_out")
                return answer.details?.message
            }
            let texts = [
                "en": "You have been logged out by the operator. Please log in again.",
                "ko": "운영자에 의해 로그아웃되었습니다. 다시 로그인해 주세요.", "ja": "運営によりログアウトされました。もう一度ログインしてください。",
            ]
            for (language, text) in texts { #expect(try await message(one, language) == text) }
            try await world.run(KickOut(user: nil, message: [:]))
            world.clock.advance(seconds: 1)
            for (language, text) in texts { #expect(try await message(other, language) == text) }
            // The operator's text takes precedence, in whatever language it is.
            let third = try await world.guestPlayer()
            try await world.run(KickOut(user: third.user, message: ["ko": "시즌 종료"]))
            #expect(try await message(third, "ja") == "시즌 종료")
        }
    }
}
