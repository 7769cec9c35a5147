import Foundation
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The pages on which an operator changes something for the whole game. What the changes do is proven with their actions.
@Suite struct GameConsoleTests {
    private static let launching = "/console/apps/game/launching"

    private static func phone(_ server: TestServer, language: String) async throws -> LaunchingInformation {
        let path = TestCall.path(Endpoints.launching.template)
        return try await server.send(TestCall(method: .get, path: path, headers: ["Accept-Language": language]))
            .decoded(as: LaunchingInformation.self)
    }

    @Test("UI-LAUNCH-2: the preview is word for word what a phone gets", arguments: Engine.ofDoors)
    func preview(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .operator)
            let begin = Date(timeIntervalSince1970: Double(server.clock.now.milliseconds / 1_000 + 300))
            let window = [
                "begin": String(begin.formatted(.iso8601).prefix(16)), "end": "2026-11-21T09:00",
                "message.ko": "곧 돌아옵니다.",
            ]
            #expect(try await kim.perform("maintenance.planned", [:], window).result != nil)
            let planned = try await kim.get("\(Self.launching)?language=ko&when=maintenance")
            #expect(planned.html.contains("곧 돌아옵니다."))
            let confirmation = try await kim.confirmation(
                of: "status.set", [:], ["status": "300", "message.ja": "更新してください。"])
            #expect(confirmation.text.contains("更新してください。"))
            #expect(try await kim.submit(confirmation, ["reason": "version 2"], to: "/do/status.set").status == 303)
            server.clock.advance(seconds: 1)
            for language in ["en", "ja"] {
                let page = try await kim.get("\(Self.launching)?language=\(language)")
                let shown = try #require(
                    page.html.firstMatch(of: /<pre tabindex="0"><code>(.*?)<\/code><\/pre>/.dotMatchesNewlines()))
                let json = String(shown.output.1).replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
                let information = try JSONDecoder().decode(LaunchingInformation.self, from: Data(json.utf8))
                #expect(try await Self.phone(server, language: language) == information)
            }
        }
    }

    @Test("UI-LAUNCH-3: a time is of the person's zone: an hour that is skipped is refused, one that comes twice asked")
    func times() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let token = try await server.runOnServer(
                InviteOperator(name: "ann", grants: [.app(TestServer.app): .operator])
            )
            .text
            let ann = ConsoleBrowser(server: server, person: "ann")
            #expect(try await ann.enrol("/console/enrol/\(token)", ["zone": "America/New_York"]).status == 200)
            func plan(_ begin: String, _ end: String) async throws -> ConsolePage {
                try await ann.confirmation(of: "maintenance.planned", [:], ["begin": begin, "end": end])
            }
            #expect(try await plan("2027-03-14T02:30", "2027-03-14T05:00").problem("begin") != nil)
            let asked = try await plan("2027-11-07T01:30", "2027-11-07T05:00")
            #expect(asked.status == 422 && asked.problem("begin-which") != nil)
            let second = try await ann.submit(asked, ["begin-which": "second"], to: "/check")
            // Three hours and a half after the second half past one, and one more after the first; lengths are rounded.
            #expect(second.status == 200 && second.text.contains("From 2027-11-07 01:30 EST"), "\(second.text)")
            #expect(second.text.contains(": 4 hours without logins"), "\(second.text)")
        }
    }

    @Test("UI-LAUNCH-4: the launching page says which rule wins for a client, and a change of rules offers its undo")
    func clientRules() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let (kim, lee) = (try await server.person("kim", .operator), try await server.person("lee", .support))
            let fields = [
                "below": "2.0.0", "status": "300", "url": "https://example.com/get", "message.en": "Please <update>.",
            ]
            // What most rules leave empty is folded, and open as soon as it has something.
            let empty = try await kim.get("/console/apps/game/do/client-rule.added").html
            let filled = try await kim.confirmation(of: "client-rule.added", [:], fields).html
            #expect(empty.contains("<details><summary>Texts for players") && empty.contains("<div class=\"fields\">"))
            #expect(filled.contains(/<details open[^>]*><summary>Texts for players/), "\(filled)")
            #expect(filled.contains("<details><summary>Another system or store"))
            let added = try await kim.perform("client-rule.added", [:], fields)
            #expect(added.result != nil && added.text.contains("https://example.com/get"))
            let old = try await kim.get("\(Self.launching)?version=1.9.9")
            #expect(old.text.contains("Rule 1 wins") && old.html.contains("&quot;status&quot; : 300"))
            #expect(try await kim.get("\(Self.launching)?version=2.0.0").text.contains("No rule matches"))
            #expect(try await kim.get("\(Self.launching)?version=%27%3Cx&os=%22").status == 200)

            let second = try await kim.perform("client-rule.added", [:], ["os": "AOS", "status": "203"])
            let link = try #require(
                second.links.first { $0.contains("/do/client-rule.moved") && $0.contains("to=1") }, "\(second.links)")
            let moved = try await kim.follow(
                kim.submit(kim.get(link), ["reason": "Android first"], to: "/do/client-rule.moved"))
            #expect(try await kim.get("\(Self.launching)?version=1.9.9&os=IOS").text.contains("Rule 2 wins"))
            let back = try await kim.ordinaryUndo(of: moved)
            _ = try await kim.follow(kim.submit(back, ["reason": "as before"], to: "/do/client-rule.moved"))
            #expect(try await kim.get("\(Self.launching)?version=1.9.9&os=IOS").text.contains("Rule 1 wins"))

            let rule = try #require(try await server.run(ReadApp()).clientRules.first)
            let removed = try await kim.perform("client-rule.removed", ["rule": rule.id])
            let undo = try await kim.ordinaryUndo(of: removed)
            #expect(try undo.form("/check").fields["message.en"] == "Please <update>.")
            #expect(try await kim.follow(kim.submit(removed, to: "/undo")).result != nil)
            #expect(try await server.run(ReadApp()).clientRules.contains { $0.message == rule.message })
            #expect(try await !lee.get(Self.launching).links.contains { $0.contains("client-rule") })
        }
    }

    @Test("Windows that are over offer their texts, and the preview has a player's own time")
    func pastWindows() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let (kim, vic) = (try await server.person("kim", .operator), try await server.person("vic", .viewer))
            let window = ["end": "2026-12-31T09:00", "message.ko": "곧 돌아옵니다."]
            #expect(try await kim.perform("maintenance.planned", [:], window).result != nil)
            server.clock.advance(seconds: 120)
            let seoul = try await kim.get("\(Self.launching)?language=ko&zone=Asia/Seoul")
            #expect(seoul.text.contains("2026-12-31 18:00 KST"), "\(seoul.text)")
            #expect(try await kim.get("\(Self.launching)?zone=../x").status == 200)
            let over = try await kim.perform("maintenance.ended")
            #expect(over.text.contains("Ended early") && over.text.contains("Plan with the last texts"))
            let link = try #require(over.links.first { $0.contains("/do/maintenance.planned?past=") })
            #expect(try await kim.get(link).form("/check").fields["message.ko"] == "곧 돌아옵니다.")
            let seen = try await vic.get(Self.launching)
            #expect(seen.text.contains("Ended early") && !seen.links.contains { $0.contains("past=") })
        }
    }

    @Test("Rules by client stand side by side by system and version, and one that an earlier rule disturbs is named")
    func matrix() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            for rule in [["os": "IOS", "below": "1.5", "status": "201"], ["below": "2.0", "status": "300"]] {
                #expect(try await kim.perform("client-rule.added", [:], rule).result != nil)
            }
            let page = try await kim.get(Self.launching)
            #expect(page.text.contains("iOS (IOS)") && page.text.contains("Who gets what"))
            #expect(
                page.text.contains("Rule 2 does not decide for all of its clients: rule 1 comes first"), "\(page.text)")
            let row = try #require(
                page.html.firstMatch(of: /<tr>(?:(?!<tr>).)*?Other systems.*?<\/tr>/.dotMatchesNewlines()))
            #expect(row.output.contains("Update required") && !row.output.contains("Update recommended"))
        }
    }

    @Test("UI-KICK-1: what the server counts at the confirmation is typed, and no address or form says it")
    func kickOut() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            _ = try await server.guest(TestDevice())
            let form = try await kim.get("/console/apps/game/do/kick-out.everyone?live=77")
            _ = try await server.guest(TestDevice())
            let page = try await kim.submit(form, ["message.en": "See you soon."], to: "/do/kick-out.everyone/check")
            #expect(page.text.contains("2 sessions are live now") && page.text.contains("See you soon."))
            let send = ["reason": "a wrong event"]
            for wrong in ["77", "1"] {
                let answer = try await kim.submit(
                    page, send.merging(["typed": wrong]) { $1 }, to: "/do/kick-out.everyone")
                #expect(answer.problem("typed") != nil, "\(wrong)")
            }
            let done = try await kim.submit(page, send.merging(["typed": "2"]) { $1 }, to: "/do/kick-out.everyone")
            #expect(try await kim.follow(done).result != nil)
            server.clock.advance(seconds: 5)
            #expect(try await kim.get("/console/apps/game/kick-out").text.contains("0 sessions"))
        }
    }
}
