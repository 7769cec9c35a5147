import FakeProviders
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct LaunchingTests {
    private func launching(
        _ server: TestServer, by device: TestDevice? = nil, language: String? = nil
    ) async throws -> LaunchingInformation {
        var headers: [String: String] = [:]
        let path = TestCall.path(Endpoints.launching.template)
        if let language { headers["Accept-Language"] = language }
        if let device { headers[HeaderNames.proof] = try device.proof("GET", path, at: server.clock.now) }
        return try await server.send(TestCall(method: .get, path: path, headers: headers))
            .decoded(as: LaunchingInformation.self)
    }

    @Test("START-2: launching information needs no login and names what is configured")
    func inService() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let information = try await launching(server)
            #expect(information.status == .inService)
            #expect(information.isPlayable)
            #expect(information.message == nil)
            #expect(information.maintenance == nil)
            #expect(Set(information.providers.keys) == Set(FakeProviders.names + [.guest]))
            #expect(information.providers[.google]?.hasBrowserLogin == true)
            #expect(information.providers[.line]?.regions == ["indonesia", "japan", "taiwan", "thailand"])
            #expect(information.serverDate == server.clock.now.milliseconds)
            #expect(information.language == "en")
        }
    }

    @Test("START-3: out of service a login ends with 3701, and the heartbeat tells it, in the player's language")
    func maintenance() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let player = try await server.guestPlayer()
            let end = server.clock.now.adding(seconds: 3_600)
            try await server.run(
                PlanMaintenance(
                    begin: nil, end: end, message: ["en": "Back at nine.", "ko": "9시에 돌아옵니다.", "zh-Hant": "九點回來。"],
                    url: "https://status.example.com"))
            server.clock.advance(seconds: 1)
            for (language, message) in [
                ("ko-KR,en;q=0.5", "9시에 돌아옵니다."), ("fr, ko;q=0.1", "9시에 돌아옵니다."), ("ja", "Back at nine."),
                ("zh-Hant-TW", "九點回來。"), ("", "Back at nine."), ("*;;;q=,", "Back at nine."),
            ] {
                #expect(try await launching(server, language: language).message == message)
            }
            let refused = try await server.logIn(TestDevice(), headers: ["Accept-Language": "ko"])
            #expect(refused.status == 503 && refused.code == 3701)
            #expect(refused.error?.message == "9시에 돌아옵니다.")
            #expect(refused.details?.launchingStatus == .maintenance)
            let window = try #require(refused.details?.maintenance)
            #expect(window.endDate == end.milliseconds)
            #expect(window.url == "https://status.example.com")
            let standing = try await server.send(
                .post, Endpoints.heartbeat.template, by: player.device, token: player.access.secretValue,
                headers: ["Accept-Language": "ko"]
            ).decoded(as: Heartbeat.self).standing
            #expect(!standing.isPlayable && standing.reason == .maintenance)
            #expect(standing.message == "9시에 돌아옵니다.")
        }
    }

    @Test(
        "UI-LAUNCH-4: clients below a version need an update, with the address, by every door; the others do not")
    func clientRule() async throws {
        try await TestServer.open(on: .sqlite) { server in
            func headers(_ version: String) -> [String: String] {
                [HeaderNames.client: "osCode=IOS&storeCode=AS&clientVersion=\(version)", "Accept-Language": "ko"]
            }
            func launching(_ version: String, by device: TestDevice? = nil) async throws -> LaunchingInformation {
                let path = TestCall.path(Endpoints.launching.template)
                var headers = headers(version)
                if let device { headers[HeaderNames.proof] = try device.proof("GET", path, at: server.clock.now) }
                return try await server.send(TestCall(method: .get, path: path, headers: headers))
                    .decoded(as: LaunchingInformation.self)
            }
            let (device, tester) = (TestDevice(), TestDevice())
            let login = try await server.guest(device)
            try await server.run(AddTestDevice(key: tester.thumbprint, note: "QA"))
            let rule = ClientRule(
                osCode: "IOS", below: "2.0.0", status: .requireUpdate, updateURL: "https://example.com/get",
                message: LocalizedText(["ko": "업데이트해 주세요."]))
            let id = try await server.run(AddClientRule(rule))
            server.clock.advance(seconds: 1)

            let old = try await launching("1.9.9")
            #expect(old.status == .requireUpdate && !old.isPlayable)
            #expect(old.updateURL == "https://example.com/get" && old.message == "업데이트해 주세요.")
            let new = try await launching("2.0.0")
            #expect(new.status == .inService && new.updateURL == nil && new.message == nil)
            #expect(try await launching("1.9.9", by: tester).status == .inServiceForTestDevices)

            let refused = try await server.logIn(TestDevice(), headers: headers("1.9.9"))
            #expect(refused.code == 3701 && refused.error?.message == "업데이트해 주세요.")
            #expect(refused.details?.launchingStatus == .requireUpdate)
            #expect(refused.details?.standing?.updateURL == "https://example.com/get")
            #expect(try await server.logIn(TestDevice(), headers: headers("2.0.0")).status == 200)
            #expect(try await server.logIn(TestDevice()).status == 200)
            #expect(try await server.logIn(tester, headers: headers("1.9.9")).status == 200)
            let heartbeat = try await server.send(
                .post, Endpoints.heartbeat.template, by: device, token: login.session.accessToken.secretValue,
                headers: headers("1.9.9")
            ).decoded(as: Heartbeat.self)
            #expect(heartbeat.standing.launchingStatus == .requireUpdate)
            #expect(heartbeat.standing.updateURL == "https://example.com/get")

            let simple = "launching/v1.3/apps/{a}/launching/simple?osCode=IOS&storeCode=AS&clientVersion"
            let gamebase = try await server.tcgb(.get, "\(simple)=1.9.9").text
            #expect(gamebase.contains(#""code":300"#) && gamebase.contains("example.com"))
            let later = try await server.tcgb(.get, "\(simple)=2.0.0").text
            #expect(later.contains(#""code":200"#) && later.contains(#""install":{"url":null}"#))

            try await server.run(RemoveClientRule(id: id))
            server.clock.advance(seconds: 1)
            #expect(try await launching("1.9.9").status == .inService)
        }
    }

    @Test("START-3: a registered test device passes by its proof, and only it")
    func testDevice() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            try await server.run(SetStatus(status: .maintenance, message: [:]))
            try await server.run(AddTestDevice(key: device.thumbprint, note: "QA"))
            server.clock.advance(seconds: 1)
            #expect(try await launching(server, by: device).status == .inServiceForTestDevices)
            #expect(try await launching(server, by: TestDevice()).status == .maintenance)
            #expect(try await launching(server).status == .maintenance)
            #expect(try await server.guest(device).standing.launchingStatus == .inServiceForTestDevices)
        }
    }

    @Test("Launching information needs no right clock: a proof that fails is as good as none")
    func wrongProof() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let path = TestCall.path(Endpoints.launching.template)
            let stale = try TestDevice().proof("GET", path, at: server.clock.now.adding(seconds: -1_000_000))
            for proof in [stale, "nonsense"] {
                let answer = try await server.send(
                    TestCall(method: .get, path: path, headers: [HeaderNames.proof: proof]))
                #expect(answer.status == 200)
            }
        }
    }
}
