import Foundation
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// What an operator changes for the whole game, and what phones get of it.
@Suite struct GameConsoleTests {
    private static let launching = "/console/apps/game/launching"

    private static func phone(
        _ world: World, language: String = "en", device: TestDevice? = nil
    ) async throws -> LaunchingInformation {
        let path = TestCall.path(Endpoints.launching.template)
        var headers = ["Accept-Language": language]
        if let device { headers[HeaderNames.proof] = try device.proof("GET", path, at: world.clock.now) }
        return try await world.send(TestCall(method: .get, path: path, headers: headers))
            .decoded(as: LaunchingInformation.self)
    }

    /// A time of a form in UTC, this many minutes from now.
    private static func input(_ world: World, minutes: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(world.clock.now.milliseconds / 1_000 + minutes * 60))
        return String(date.formatted(.iso8601).prefix(16))
    }

    @Test(
        "UI-LAUNCH-1: planned maintenance begins and ends by itself, in the player's language, and test devices pass",
        arguments: Engine.ofDoors)
    func maintenance(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let (kim, tester) = (try await world.person("kim", .operator), TestDevice())
            let added = try await kim.perform(
                "test-device.added", [:], ["device": tester.thumbprint.rawValue, "note": "QA <1>"])
            #expect(added.result != nil && added.text.contains("QA <1>"))
            let page = try await kim.perform(
                "maintenance.planned", [:],
                [
                    "begin": Self.input(world, minutes: 5), "end": Self.input(world, minutes: 65),
                    "message.en": "Back soon.", "message.ko": "곧 돌아옵니다.", "url": "https://example.com/notice",
                ])
            #expect(page.result != nil)
            world.clock.advance(seconds: 1)
            #expect(try await Self.phone(world).isPlayable)
            let planned = try await kim.get("\(Self.launching)?language=ko&when=maintenance")
            #expect(planned.html.contains("곧 돌아옵니다."))
            world.clock.advance(seconds: 300)
            let closed = try await Self.phone(world, language: "ko")
            #expect(closed.status == .maintenance && closed.message == "곧 돌아옵니다.")
            #expect(closed.maintenance?.url == "https://example.com/notice")
            #expect(try await Self.phone(world, device: tester).status == .inServiceForTestDevices)
            #expect(try await world.logIn(tester).status == 200)
            #expect(try await world.logIn(TestDevice()).code == ErrorCode.authNotPlayable.rawValue)

            let longer = try await kim.perform("maintenance.changed", ["lengthen": "30"])
            #expect(longer.result != nil)
            world.clock.advance(seconds: 3_601)
            #expect(try await Self.phone(world).status == .maintenance)
            world.clock.advance(seconds: 1_800)
            #expect(try await Self.phone(world).status == .inService)
        }
    }

    @Test("UI-LAUNCH-2: the preview is word for word what a phone gets", arguments: Engine.ofDoors)
    func preview(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let kim = try await world.person("kim", .operator)
            let confirmation = try await kim.confirmation(
                of: "status.set", [:], ["status": "300", "message.ja": "更新してください。"])
            #expect(confirmation.text.contains("更新してください。"))
            #expect(try await kim.submit(confirmation, ["reason": "version 2"], to: "/do/status.set").status == 303)
            world.clock.advance(seconds: 1)
            for language in ["en", "ja"] {
                let page = try await kim.get("\(Self.launching)?language=\(language)")
                let shown = try #require(
                    page.html.firstMatch(of: /<pre tabindex="0"><code>(.*?)<\/code><\/pre>/.dotMatchesNewlines()))
                let json = String(shown.output.1).replacing("&quot;", with: "\"").replacing("&#61;", with: "=")
                    .replacing("&amp;", with: "&")
                let information = try JSONDecoder().decode(LaunchingInformation.self, from: Data(json.utf8))
                #expect(try await Self.phone(world, language: language) == information)
            }
        }
    }

    @Test("UI-LAUNCH-3: times that can't be meant are refused or asked, at their field", arguments: Engine.ofDoors)
    func times(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let token = try await world.run(InviteOperator(name: "ann", grants: [.app(World.app): .operator])).text
            let ann = ConsoleBrowser(world: world, person: "ann")
            #expect(try await ann.enrol("/console/enrol/\(token)", ["zone": "America/New_York"]).status == 200)
            func problems(_ begin: String, _ end: String, _ more: [String: String] = [:]) async throws -> ConsolePage {
                let fields = ["begin": begin, "end": end].merging(more) { $1 }
                return try await ann.confirmation(of: "maintenance.planned", [:], fields)
            }
            // The clock of the tests stands at 2026-11-20 19:00 in New York.
            #expect(try await problems("2026-11-21T05:00", "2026-11-21T04:00").problem("end") != nil)
            #expect(try await problems("", "2026-11-19T04:00").problem("end") != nil)
            #expect(try await problems("2026-11-19T05:00", "2026-11-22T04:00").problem("begin") != nil)
            #expect(try await problems("2027-03-14T02:30", "2027-03-14T05:00").problem("begin") != nil)
            #expect(try await problems("x", "2027-03-14T05:00").problem("begin") != nil)
            let asked = try await problems("2027-11-07T01:30", "2027-11-07T05:00")
            #expect(asked.status == 422 && asked.problem("begin-which") != nil)
            let second = try await ann.submit(asked, ["begin-which": "second"], to: "/check")
            // Three hours and a half after the second half past one, and one more after the first; lengths are rounded.
            #expect(second.status == 200 && second.text.contains("From 2027-11-07 01:30 EST"), "\(second.text)")
            #expect(second.text.contains(": 4 hours without logins"), "\(second.text)")

            #expect(try await ann.perform("maintenance.planned", [:], ["end": "2026-11-21T04:00"]).result != nil)
            let overlapping = try await problems("2026-11-21T05:00", "2026-11-21T06:00")
            #expect(overlapping.problem("begin")?.contains("2026-11-21 04:00") == true)
        }
    }

    @Test(
        "UI-LAUNCH-4: a rule below a version is added, wins for its clients, moves, and each change can be undone",
        arguments: Engine.ofDoors)
    func clientRules(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let (kim, lee) = (try await world.person("kim", .operator), try await world.person("lee", .support))
            let wrong = try await kim.confirmation(
                of: "client-rule.added", [:], ["below": "2.x", "url": "example.com", "position": "9"])
            #expect(wrong.status == 422 && wrong.problem("below") != nil && wrong.problem("url") != nil)
            #expect(wrong.problem("position") != nil)
            #expect(try await kim.confirmation(of: "client-rule.added").problem("os") != nil)
            let fields = [
                "below": "2.0.0", "status": "300", "url": "https://example.com/get", "message.en": "Please <update>.",
            ]
            let confirmation = try await kim.confirmation(of: "client-rule.added", [:], fields)
            #expect(confirmation.text.contains("versions below 2.0.0") && !confirmation.text.contains("no address"))
            #expect(confirmation.text.contains("Please <update>."))
            let send = ["reason": "version 2 is out"]
            let added = try await kim.follow(kim.submit(confirmation, send, to: "/do/client-rule.added"))
            #expect(added.result != nil && added.text.contains("https://example.com/get"))
            #expect(try await kim.submit(confirmation, send, to: "/do/client-rule.added").status == 303)

            let old = try await kim.get("\(Self.launching)?version=1.9.9")
            #expect(old.text.contains("Rule 1 wins") && old.html.contains("&quot;status&quot; : 300"))
            #expect(try await kim.get("\(Self.launching)?version=2.0.0").text.contains("No rule matches"))
            #expect(try await kim.get("\(Self.launching)?version=%27%3Cx&os=%22").status == 200)

            let early = try await kim.confirmation(of: "client-rule.added", [:], ["os": "web", "status": "205"])
            #expect(early.text.contains("unless an earlier rule decides") && early.text.contains("Rule 1 comes first"))
            let nowhere = try await kim.confirmation(
                of: "client-rule.added", [:], ["from": "3", "status": "300", "position": "1"])
            #expect(nowhere.text.contains("no address") && !nowhere.text.contains("earlier rule decides"))
            let second = try await kim.perform("client-rule.added", [:], ["os": "aos", "status": "203"])
            #expect(second.result != nil && second.text.contains("AOS"))
            #expect(try await kim.submit(early, send, to: "/do/client-rule.added").status == 409)
            let link = try #require(second.links.first { $0.contains("/do/client-rule.moved") && $0.contains("to=1") })
            let moved = try await kim.follow(
                kim.submit(kim.get(link), ["reason": "Android first"], to: "/do/client-rule.moved"))
            #expect(try await kim.get("\(Self.launching)?version=1.9.9&os=AOS").text.contains("Rule 1 wins"))
            #expect(try await kim.get("\(Self.launching)?version=1.9.9&os=IOS").text.contains("Rule 2 wins"))
            let back = try #require(moved.links.first { $0.contains("/do/client-rule.moved?earlier=") })
            _ = try await kim.follow(kim.submit(kim.get(back), ["reason": "as before"], to: "/do/client-rule.moved"))
            #expect(try await kim.get("\(Self.launching)?version=1.9.9&os=AOS").text.contains("Rule 1 wins"))
            #expect(try await kim.get("\(Self.launching)?version=3&os=AOS").text.contains("Rule 2 wins"))

            let rule = try #require(try await world.run(ReadApp()).clientRules.first)
            let removed = try await kim.perform("client-rule.removed", ["rule": rule.id])
            #expect(removed.result != nil)
            let undo = try #require(removed.links.first { $0.contains("/do/client-rule.added?earlier=") })
            let form = try await kim.get(undo).form("/check")
            #expect(form.fields["below"] == "2.0.0" && form.fields["position"] == "1")
            #expect(form.fields["message.en"] == "Please <update>.")
            #expect(try await kim.get("/console/apps/game/do/client-rule.removed?rule=\(rule.id)").status == 400)
            #expect(try await lee.get("/console/apps/game/do/client-rule.added").status == 403)
            #expect(try await !lee.get(Self.launching).links.contains { $0.contains("client-rule") })
        }
    }

    @Test(
        "UI-LAUNCH-5: ended maintenance lets phones in, and its undo offers the same times again",
        arguments: Engine.ofDoors)
    func end(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let kim = try await world.person("kim", .operator)
            let end = Self.input(world, minutes: 60)
            _ = try await kim.perform("maintenance.planned", [:], ["end": end, "message.en": "Moving house."])
            world.clock.advance(seconds: 1)
            #expect(try await Self.phone(world).status == .maintenance)
            let confirmation = try await kim.confirmation(of: "maintenance.ended")
            let other = try await kim.confirmation(of: "maintenance.changed", ["lengthen": "30"])
            let send = ["reason": "done early"]
            let done = try await kim.follow(kim.submit(confirmation, send, to: "/do/maintenance.ended"))
            #expect(done.result != nil)
            // The same page once more counts once, and another page of before has nothing to change any more.
            #expect(try await kim.submit(confirmation, send, to: "/do/maintenance.ended").status == 303)
            #expect(try await kim.submit(other, send, to: "/do/maintenance.changed").status != 303)
            world.clock.advance(seconds: 1)
            #expect(try await Self.phone(world).isPlayable)
            let undo = try #require(done.links.first { $0.contains("/do/maintenance.planned?earlier=") })
            let form = try await kim.get(undo).form("/check")
            #expect(form.fields["end"] == end && form.fields["message.en"] == "Moving house.")
        }
    }

    @Test("A status that is stale is asked again, and one role less is not enough", arguments: Engine.ofDoors)
    func status(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let (kim, lee) = (try await world.person("kim", .operator), try await world.person("lee", .support))
            let early = try await kim.confirmation(of: "status.set", [:], ["status": "303"])
            #expect(try await kim.perform("status.set", [:], ["status": "205"]).result != nil)
            #expect(try await kim.submit(early, ["reason": "late"], to: "/do/status.set").status == 409)
            #expect(try await lee.get("/console/apps/game/do/status.set").status == 403)
            #expect(try await lee.get(Self.launching).status == 200)
            #expect(try await kim.get("/console/apps/game/do/status.terminated").status == 403)
            #expect(try await kim.confirmation(of: "status.set", [:], ["status": "302"]).problem("status") != nil)
        }
    }

    @Test(
        "UI-DEV-1: a thumbprint is checked letter by letter, and a removed device does not pass",
        arguments: Engine.ofDoors)
    func testDevices(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let (kim, device) = (try await world.person("kim", .operator), TestDevice())
            let key = device.thumbprint.rawValue
            func problem(_ text: String) async throws -> String? {
                try await kim.confirmation(of: "test-device.added", [:], ["device": text]).problem("device")
            }
            #expect(try await problem("\(key.prefix(9))!\(key.dropFirst(10))")?.contains("10, “!”") == true)
            #expect(try await problem(String(key.dropLast()))?.contains("42") == true)
            #expect(try await problem("\(key.dropLast())_") != nil)
            #expect(try await kim.perform("test-device.added", ["device": key], ["note": "desk 4"]).result != nil)
            try await world.run(SetStatus(status: .maintenance, message: [:]))
            world.clock.advance(seconds: 1)
            #expect(try await world.logIn(device).status == 200)
            let removed = try await kim.perform("test-device.removed", ["device": key])
            #expect(removed.result != nil)
            #expect(try await world.logIn(device).status != 200)
            let undo = try #require(removed.links.first { $0.contains("/do/test-device.added?") })
            #expect(try await kim.get(undo).form("/check").fields["note"] == "desk 4")
            #expect(try await kim.get("/console/apps/game/do/test-device.removed?device=\(key)").status == 400)
        }
    }

    @Test("UI-KICK-1: everyone is kicked out with the number typed, and reads the text", arguments: Engine.ofDoors)
    func kickOut(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let (kim, device) = (try await world.person("kim", .operator), TestDevice())
            let login = try await world.guest(device)
            _ = try await world.guest(TestDevice())
            let page = try await kim.confirmation(of: "kick-out.everyone", [:], ["message.en": "See you soon."])
            #expect(page.text.contains("2 sessions are live now"))
            let send = ["reason": "a wrong event", "typed": "3"]
            #expect(try await kim.submit(page, send, to: "/do/kick-out.everyone").status == 422)
            #expect(try await world.heartbeat(device, login.session.accessToken).status == 200)
            let done = try await kim.submit(page, send.merging(["typed": "2"]) { $1 }, to: "/do/kick-out.everyone")
            #expect(try await kim.follow(done).result != nil)
            world.clock.advance(seconds: 5)
            let refused = try await world.heartbeat(device, login.session.accessToken)
            #expect(refused.status == 401 && refused.details?.message == "See you soon.")
            #expect(try await kim.get("/console/apps/game/kick-out").text.contains("0 sessions"))
        }
    }
}
