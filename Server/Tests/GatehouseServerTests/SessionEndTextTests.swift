import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct SessionEndTextTests {
    @Test(
        "BAN-6, TRANSFER-7: the old device reads in its language that the transfer is complete, also at its next start")
    func transferred() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let guest = try await server.guestPlayer()
            #expect(try await server.redeem(server.issue(for: guest), on: TestDevice()).status == 200)
            for (language, beginning) in [
                ("en", "The transfer is complete"), ("ko-KR", "이전이 완료되었습니다"), ("ja", "引き継ぎが完了しました"),
                ("fr", "The transfer is complete"),
            ] {
                let headers = ["Accept-Language": language]
                let live = try await server.send(
                    .post, Endpoints.heartbeat.template, by: guest.device, token: guest.access.secretValue,
                    headers: headers)
                let start = try await server.send(
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

    @Test("WDR-1, BAN-6: a device of a deleted account reads in its language that it is gone, also at its next start")
    func withdrawn() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let guest = try await server.guestPlayer()
            try await server.run(WithdrawMember(user: guest.login.member.userId), reason: "asked for it")
            for (language, text) in [
                ("en", "This account has been deleted."), ("ko-KR", "이 계정은 삭제되었습니다."), ("ja", "このアカウントは削除されました。"),
            ] {
                let headers = ["Accept-Language": language]
                let live = try await server.send(
                    .post, Endpoints.heartbeat.template, by: guest.device, token: guest.access.secretValue,
                    headers: headers)
                let start = try await server.send(
                    .post, Endpoints.logInWithLastProvider.template, by: guest.device,
                    token: guest.login.session.refreshToken?.secretValue ?? "", headers: headers)
                #expect([live.code, start.code] == [3011, 3102])
                for answer in [live, start] {
                    #expect(answer.reason == "withdrawn" && answer.details?.message == text, "\(language)")
                }
            }
        }
    }
}
