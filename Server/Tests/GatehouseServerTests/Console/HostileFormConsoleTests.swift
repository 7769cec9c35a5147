import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseConsole

/// What no form expects, in every field of every action.
@Suite struct HostileFormConsoleTests {
    private static let texts = [
        "\u{0}", "a\u{0}b", "\u{202e}abc\u{2066}", "플레이어 игрок 🎮 e\u{301}", String(repeating: "x", count: 16_000),
        "\"><script>alert(1)</script>{{t}}", "\r\n\r\n", "-1", "0", "9223372036854775807", "-9223372036854775808",
        "99999999999999999999999", "1e308", "NaN", "0000-00-00T00:00", "9999-12-31T23:59", "2027-02-30T10:00",
        "../../me", "%00%ff", "\u{feff}", "on",
        String(repeating: "A,", count: 2_000), String(repeating: " ", count: 2_000),
    ]
    /// What costs much to read where it is repeated. FormLimitTests counts the steps.
    private static let costly = ["A,", "x\n", " ", "=", "é"]
    /// What fields get alone.
    private static let few = [0, 2, 4, 5, 9, 14].map { texts[$0] }

    /// Two of the few for a field. Over all actions each kind of field gets all of them, without thousands of calls more.
    private static func few(for field: Int, of action: Int) -> [String] {
        [0, 3].map { few[(field + action + $0) % few.count] }
    }

    private static func expectAnswer(_ page: ConsolePage, _ place: String) {
        #expect([200, 303, 400, 403, 404, 409, 413, 422].contains(page.status), "\(place): \(page.status)")
        guard page.status != 303 else { return }
        #expect(page.html.contains("<h1>") && page.html.hasSuffix("</html>"), "\(place): \(page.html.suffix(200))")
        #expect(!page.html.contains("<script>alert"), "\(place)")
    }

    // PostgreSQL, where it is tried, refuses more of such texts than SQLite, and these are thousands of calls: one engine will do.
    @Test(
        "Whatever a field holds, the answer is a page with a code or the form with its problems, and nothing changes",
        arguments: Engine.ofDoors.suffix(1), OperatorActions.named.keys.sorted())
    func fields(engine: Engine, name: String) async throws {
        let action = try #require(OperatorActions.named[name])
        try await TestServer.openConsole(on: engine) { server in
            let user = try await server.guest(TestDevice()).member.userId.rawValue
            _ = try await server.runOnServer(InviteOperator(name: "lee", grants: [.everything: .viewer])).text
            let kim = try await server.developer()
            // A change of any kind writes a row at least about itself.
            let before = try await ConsoleCrawlTests.rows(of: server)
            let place = action.about.isOfServer ? "/console/do/\(name)" : "/console/apps/game/do/\(name)"
            let target = ["user": user, "provider": "google", "idp": "guest", "template": "1", "name": "lee"]
            let turn = try #require(OperatorActions.named.keys.sorted().firstIndex(of: name))
            let keys = target.keys.sorted() + ["device", "session", "job", "key", "earlier", "begin"]
            for (number, key) in keys.enumerated() {
                // A longer address is refused before it reaches the console.
                for text in Self.few(for: number, of: turn) where text.utf8.count < 5_000 {
                    let query = ConsolePage.encoded(target.merging([key: text]) { $1 })
                    Self.expectAnswer(try await kim.get("\(place)?\(query)"), "\(name) \(key)")
                }
            }
            let page = try await kim.get("\(place)?\(ConsolePage.encoded(target))")
            // A confirmation without a reason changes nothing; what has no confirmation is sent to its preview alone.
            let ending = (try? page.form("/check")) == nil ? "" : "/check"
            var form = (try? page.form("/do/\(name)\(ending)"))?.fields ?? target
            form["token"] = try kim.token.map { Console.formToken(of: try #require(OperatorToken($0))) }
            form["reason"] = ""
            let names = form.keys.filter { !["token", "reason"].contains($0) }.sorted()
            for address in action.about.step == .plain ? ["\(place)/check"] : ["\(place)/check", place] {
                for text in Self.texts {
                    let all = form.merging(names.map { ($0, text) }) { $1 }
                    Self.expectAnswer(try await kim.post(address, all), "\(name), every field")
                }
                for (number, field) in names.enumerated() {
                    for text in Self.few(for: number, of: turn) {
                        let answer = try await kim.post(address, form.merging([field: text]) { $1 })
                        Self.expectAnswer(answer, "\(name) \(field)")
                        // What is wrong with a field is said in the form, which has what was typed. A target with which the action
                        // can't begin, such as a member who is not banned, has no form: its address says the same.
                        if answer.status == 400 {
                            let query = ConsolePage.encoded(target.merging([field: String(text.prefix(1_000))]) { $1 })
                            let begun = try await kim.get("\(place)?\(query)")
                            #expect(
                                target[field] != nil && begun.status == 400,
                                "\(name) \(field): \(answer.text.prefix(400))")
                        }
                        #expect(answer.status != 200 || !text.contains("\u{0}"), "\(name) \(field)")
                    }
                }
            }
            // The limit is the action's, for all fields alike.
            if let field = names.isEmpty ? nil : names[turn % names.count] {
                let fieldBytes = PageRequest.fieldBytes(of: action)
                let part = Self.costly[turn % Self.costly.count]
                let text = String(repeating: part, count: fieldBytes / part.utf8.count + 1)
                let answer = try await kim.post("\(place)/check", form.merging([field: text]) { $1 })
                #expect(answer.status == 413, "\(name) \(field): \(answer.status)")
                #expect(answer.html.utf8.count < fieldBytes, "\(name) \(field)")
            }
            let large = try await kim.post(
                "\(place)/check", form.merging(["reason": String(repeating: "x", count: 300_000)]) { $1 })
            #expect(large.status == 413)
            #expect(try await ConsoleCrawlTests.rows(of: server) == before)
        }
    }
}
