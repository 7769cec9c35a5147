import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// Jobs, health, audit and operators.
@Suite struct ServerConsoleTests {
    @Test("A job that fails is shown with its error, and with what was done about it")
    func jobs() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let due = server.clock.now.adding(seconds: 3_600)
            try await server.database.transact { tx in
                for id in ["job-1", "job-2"] {
                    try tx.execute(
                        """
                        INSERT INTO jobs (job_id, app_id, kind, sealed_payload, state, attempts, next_at, last_error, created_at)
                        VALUES (\(id), \(TestServer.app), 'revoke-idp-tokens', \([1, 2] as [UInt8]), 'waiting', 3, \(due),
                            'google can''t be asked', \(server.clock.now))
                        """)
                }
            }
            let kim = try await server.person("kim", grants: ["*": "operator"])
            let list = try await kim.get("/console/jobs?state=waiting")
            #expect(list.text.contains("google can't be asked"), "\(list.text)")
            let all = try #require(list.links.first { $0.contains("/do/jobs.retried?kind=revoke-idp-tokens") })
            #expect(list.links.filter { $0.contains("/do/jobs.retried") }.count == 1)
            let asked = try await kim.get(all)
            #expect(asked.text.contains("Try 2 failed jobs now?"), "\(asked.text)")
            let done = try await kim.follow(kim.submit(asked, ["reason": "it is back"], to: "/do/jobs.retried"))
            #expect(done.result == "The jobs are due now.")
            let page = try await kim.get(
                try #require(list.links.first { $0.contains("/do/job.retried?job=job-2") }))
            let shown = try await kim.follow(
                kim.submit(page, ["reason": "google is back"], to: "/do/job.retried"))
            #expect(shown.result == "The job is due now." && shown.text.contains("Tokens that could not be revoked"))
            #expect(try await kim.perform("job.given-up", ["job": "job-1"]).result == "The job is given up.")
            #expect(try await kim.get("/console/jobs?state=dead").text.contains("given up by kim"))
            let viewer = try await server.person("vic", grants: ["*": "viewer"])
            #expect(try await !viewer.get("/console/jobs").links.contains { $0.contains("/do/") })
        }
    }

    @Test("A job unfolds its last failed attempts, in one line that says an error once")
    func failures() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let now = server.clock.now
            let errors = ["<b>it is away</b>", "its key is wrong", "its key is wrong"]
            let list = errors.enumerated().map { place, error in
                #"{"at":\#(now.milliseconds - Int64(place) * 60_000),"error":"\#(error)"}"#
            }
            try await server.database.transact { tx in
                for (id, state, error) in [("job-1", "waiting", errors[0]), ("job-2", "done", nil)]
                    as [(String, String, String?)]
                {
                    try tx.execute(
                        """
                        INSERT INTO jobs (job_id, app_id, kind, state, attempts, next_at, last_error, created_at, failures)
                        VALUES (\(id), \(TestServer.app), 'revoke-idp-tokens', \(state), 4, \(now), \(error), \(now),
                            \("[\(list.joined(separator: ","))]"))
                        """)
                }
            }
            let kim = try await server.person("kim", grants: ["*": "viewer"])
            let waiting = try await kim.get("/console/jobs?state=waiting")
            let line = try #require(
                waiting.html.firstMatch(of: /<summary>(<bdi>[^<]*<\/bdi>)<\/summary><p class="small">(.*?)<\/p>/)?
                    .output)
            #expect(line.1 == "<bdi>&lt;b&gt;it is away&lt;/b&gt;</bdi>", "\(line)")
            let tries = line.2.split(separator: " · ")
            #expect(
                tries.count == 2
                    && tries[1].contains(/^20[0-9: -]+ UTC, 20[0-9: -]+ UTC: <bdi>its key is wrong<\/bdi>$/), "\(line)")
            let done = try await kim.get("/console/jobs?state=done")
            #expect(done.html.contains("<summary><bdi>3 failed tries</bdi></summary>"), "\(done.text)")
        }
    }

    @Test("The server's audit has every app, filters and a file, and only owners of the server read it")
    func audit() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let alice = try await server.guest(TestDevice()).member.userId
            let kim = try await server.developer()
            _ = try await kim.perform("member.banned", ["user": alice.rawValue], ["length": "3d"])
            let vic = try await server.person("vic", grants: ["*": "operator"])
            _ = try await vic.perform("ban.released", ["user": alice.rawValue], more: ["reason": "=1+1"])
            func rows(_ query: [String: String]) async throws -> Int {
                let page = try await kim.get("/console/audit?\(ConsolePage.encoded(query))")
                #expect(page.status == 200)
                return page.html.matches(of: /<tr id="d-/).count
            }
            let page = try await kim.get("/console/audit")
            #expect(page.links.contains { $0.hasSuffix("/apps/\(TestServer.app)/members/\(alice)") })
            for (name, value, count) in [
                // The command has invited vic, which concerns no app.
                ("x", "", 3), ("app", TestServer.app.rawValue, 2), ("app", "-", 1), ("app", "none", 0),
                ("by", "VIC", 1),
                ("action", "member.banned", 1), ("target", alice.rawValue, 2), ("since", "2999-01-01T00:00", 0),
                ("until", "2999-01-01T00:00", 3), ("range", "1h", 3), ("range", "today", 3), ("range", "7d", 3),
                ("range", "yesterday", 0), ("range", "never", 3), ("by", "vi", 0),
            ] {
                #expect(try await rows([name: value]) == count, "\(name) \(value)")
            }
            // What is chosen is in the address, and a typed time wins over a quick range.
            #expect(try await rows(["range": "yesterday", "until": "2999-01-01T00:00"]) == 3)
            let filtered = try await kim.get("/console/audit?range=today&by=vic&action=ban.released")
            #expect(filtered.html.contains("<optgroup label=\"Members\">"))
            #expect(filtered.text.contains("Clear all") && filtered.text.contains("Time: Today"), "\(filtered.text)")
            #expect(filtered.links.contains("/console/audit"))
            #expect(filtered.html.contains("<option value=\"developer\">") && filtered.html.contains("selected>vic"))
            for path in ["/console/audit.csv?by=vic", "/console/apps/\(TestServer.app)/audit.csv?by=vic"] {
                let file = try await kim.get(path)
                #expect(file.answer.headers[.contentType] == "text/csv; charset=utf-8")
                #expect(file.html.contains("\"ban.released\"") && file.html.contains("\"'=1+1\""))
                #expect(file.html.components(separatedBy: "\r\n").count == 3)
            }
            for path in ["/console/audit", "/console/audit.csv"] { #expect(try await vic.get(path).status == 403) }
            let support = try await server.person("sue", .support)
            #expect(try await !support.get("/console/apps/\(TestServer.app)/audit.csv").html.contains("ban.released"))
            #expect(
                try await server.person("eve", .viewer).get("/console/apps/\(TestServer.app)/audit.csv").status == 403)
        }
    }

    @Test("Health says what is fine, without secrets, as a page and as text")
    func health() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", grants: ["*": "viewer"])
            let page = try await kim.get("/console/health")
            #expect(
                page.status == 200 && page.text.contains("No job is late.") && page.text.contains("max-connections"))
            let text = try await kim.get("/console/health/text")
            #expect(
                text.html.contains("[good] No job is late.")
                    && text.html.contains("Version: \(GatehouseVersion.current)"))
            #expect(!page.html.contains(TestServer.consoleEntry) && !text.html.contains(TestServer.consoleEntry))
        }
    }

    @Test(
        "UI-HEALTH-1: without the database health is shown from memory to who was signed in, and nothing else is",
        arguments: Engine.ofDoors)
    func outage(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", grants: ["*": "viewer"])
            let ofApp = try await server.person("app", .owner)
            #expect(try await kim.get("/console/health").status == 200)
            #expect(try await ofApp.get("/console/apps/game/members").status == 200)
            let enter = try await server.stranger.get("/console/sign-in")
            await server.database.close()
            #expect(try await kim.get("/console").status == 503)
            server.clock.advance(seconds: 60)
            let page = try await kim.get("/console/health")
            #expect(page.status == 200, "\(page.text)")
            #expect(
                page.text.contains("The database has not answered since 2026-11-21 00:00 UTC (1 minute ago)"),
                "\(page.text)")
            #expect(page.text.contains("max-connections") && !page.text.contains("No job is late."))
            let text = try await kim.get("/console/health/text")
            #expect(text.status == 200 && text.html.hasPrefix("[bad] The database has not answered since"))
            for path in [
                "/console", "/console/jobs", "/console/me", "/console/apps/game", "/console/apps/game/members",
            ] {
                let other = try await kim.get(path)
                #expect(other.status == 503 && other.text.contains("The database does not answer"), "\(path)")
                #expect(other.links.contains("/console/health"))
            }
            #expect(try await ofApp.get("/console/health").status == 403)
            let unknown = ConsoleBrowser(server: server, person: "x", cookie: String(repeating: "A", count: 43))
            #expect(try await unknown.get("/console/health").status == 503)

            let signIn = try await server.stranger.get("/console/sign-in")
            #expect(signIn.status == 503 && signIn.text.contains("so nobody can sign in now"), "\(signIn.text)")
            let tried = try await kim.signIn(at: enter)
            #expect(tried.status == 503 && tried.text.contains("so nobody can sign in now"), "\(tried.text)")

            // What was checked too long ago counts no more: somebody may have ended the session.
            server.clock.advance(seconds: 600)
            #expect(try await kim.get("/console/health").status == 503)
            let metrics = try await server.send(TestCall(method: .get, path: "/metrics"))
            #expect(
                metrics.text.contains(
                    #"gatehouse_http_requests_total{route="/console",method="GET",status="503",code="8001"}"#),
                "\(metrics.text.matches(of: /.*console.*/).map { String($0.output) })")
            #expect(metrics.text.contains(#"gatehouse_database_errors_total{kind="closed"}"#))
        }
    }

    @Test(
        "A change that the database does not answer comes back with what was typed, without secrets, and for nobody else",
        arguments: Engine.ofDoors)
    func unanswered(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", grants: ["*": "owner"])
            let user = try await server.guest(TestDevice()).member.userId.rawValue
            let ban = try await kim.confirmation(of: "member.banned", ["user": user]).form("/do/member.banned")
            let check = try await kim.get("/console/apps/game/do/member.banned?user=\(user)").form("/check")
            let provider = try await kim.get("/console/apps/game/providers/google").form("/check")
            await server.database.close()

            let typed = ban.fields.merging(["reason": "<b>aimbot</b> \"x\"", "ticket": "T-1"]) { $1 }
            let signIn = ["password": "a quiet lake", "code": "123456"]
            let answer = try await kim.post(ban.action, typed.merging(signIn) { $1 })
            #expect(answer.status == 503 && answer.text.contains("We do not know whether it was done."))
            let again = try answer.form()
            #expect(again.action == ban.action && again.fields == typed, "\(again.fields)")
            #expect(!answer.html.contains("a quiet lake") && !answer.html.contains("123456"))

            let unchecked = try await kim.post(check.action, check.fields)
            #expect(unchecked.status == 503 && unchecked.text.contains("Nothing was changed."))
            #expect(try unchecked.form().fields == check.fields)

            // A form of another session has nothing of this one, and a secret stands on no page.
            let foreign = try await kim.post(ban.action, typed.merging(["token": "x"]) { $1 })
            #expect(foreign.status == 503 && foreign.forms.isEmpty)
            let secret = try await kim.post(
                provider.action, provider.fields.merging(["secret.clientSecret": "s3cret"]) { $1 })
            #expect(secret.status == 503 && secret.forms.isEmpty && !secret.html.contains("s3cret"))
        }
    }

    @Test("What was typed comes back in an outage from a process that has not seen the session lately, too")
    func unansweredUnknown() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", grants: ["*": "owner"])
            let user = try await server.guest(TestDevice()).member.userId.rawValue
            let check = try await kim.get("/console/apps/game/do/member.banned?user=\(user)").form("/check")
            // After ten minutes a process no longer knows whom it has seen.
            server.clock.advance(seconds: 601)
            await server.database.close()
            let answer = try await kim.post(check.action, check.fields)
            #expect(answer.status == 503 && answer.text.contains("Nothing was changed."))
            #expect(try answer.form().fields == check.fields)
            // Nothing more is read of somebody who may have no session, and nobody else gets the form back.
            let large = check.fields.merging(["reason": String(repeating: "x", count: 9_000)]) { $1 }
            let unread = try await kim.post(check.action, large)
            #expect(unread.status == 503 && unread.forms.isEmpty)
            kim.token = String(repeating: "A", count: kim.token?.count ?? 0)
            let foreign = try await kim.post(check.action, check.fields)
            #expect(foreign.status == 503 && foreign.forms.isEmpty)
        }
    }

    @Test("Operators' requests take no player's place, and players take none of theirs")
    func admission() async throws {
        let launching = TestCall(method: .get, path: TestCall.path(Endpoints.launching.template))
        try await TestServer.openConsole(on: .sqlite, change: { $0.maximumRequests = 0 }) { server in
            let refused = try await server.send(launching)
            #expect(refused.status == 503 && refused.reason == "overloaded")
            let kim = try await server.person("kim", grants: ["*": "viewer"])
            #expect(try await kim.get("/console/health").status == 200)
        }
        try await TestServer.openConsole(on: .sqlite, change: { $0.console?.maximumRequests = 0 }) { server in
            let refused = try await server.stranger.get("/console/sign-in")
            #expect(refused.status == 503 && refused.answer.headers[.retryAfter] == "1", "\(refused.text)")
            #expect(try await server.send(launching).status == 200)
            let metrics = try await server.send(TestCall(method: .get, path: "/metrics")).text
            #expect(metrics.contains(#"{route="/console",method="GET",status="503",code="8001"} 1"#))
        }
    }

    @Test("An owner invites, changes, resets and disables others, and never the own roles", arguments: Engine.ofDoors)
    func operators(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let owner = try await server.person("kim", grants: ["*": "owner"])
            #expect(try await owner.get("/console/operators").text.contains("There is only one owner."))
            // Nothing is chosen beforehand, so that nobody gets a role that was not meant.
            let empty = try await owner.server("operator.invited", [:], ["name": "lee"])
            #expect(empty.problem("scope") != nil && empty.problem("role") != nil)
            let all = try await owner.server("operator.invited", [:], ["name": "lee", "scope": "*", "role": "viewer"])
            #expect(all.text.contains("and on the server itself"), "\(all.text)")
            let page = try await owner.server(
                "operator.invited", [:], ["name": "lee", "scope": "game", "role": "support"])
            #expect(!page.text.contains("and on the server itself"))
            #expect(page.text.contains("lee will have: game: support."), "\(page.text)")
            let invited = try await owner.submit(page, ["reason": "new in the team"], to: "/do/operator.invited")
            let path = try #require(invited.html.firstMatch(of: /\/console\/enrol\/([A-Za-z0-9_-]+)/)?.output.0)
            let again = try await owner.submit(page, ["reason": "new in the team"], to: "/do/operator.invited")
            #expect(again.status == 303)
            let lee = ConsoleBrowser(server: server, person: "lee")
            #expect(try await lee.enrol(String(path)).status == 200)
            #expect(try await lee.get("/console/apps/game/members").status == 200)
            #expect(try await lee.get("/console/operators").status == 403)
            let change = try await owner.server(
                "operator.granted", ["name": "lee"], ["grant.*": "", "grant.game": "operator"])
            let changed = try await owner.submit(change, ["reason": "is a lead now"], to: "/do/operator.granted")
            let list = try await owner.follow(changed)
            #expect(list.result?.contains("The roles are changed.") == true)
            #expect(list.text.contains("is a lead now") && list.text.contains("support → operator"), "\(list.text)")
            for action in ["operator.granted", "operator.disabled", "operator.factor-reset"] {
                #expect(try await owner.get("/console/do/\(action)?name=kim").status == 403, "\(action)")
            }
            let stop = try await owner.server("operator.disabled", ["name": "lee"], [:])
            #expect(try await owner.submit(stop, ["reason": "has left"], to: "/do/operator.disabled").status == 303)
            #expect(try await owner.get("/console/operators").text.contains("Disabled"))
            // An action of the server has no place in an app, and the other way round.
            #expect(try await owner.get("/console/apps/game/do/operator.disabled?name=lee").status == 404)
            #expect(try await owner.get("/console/do/member.banned?user=x").status == 404)
        }
    }
}

extension ServerConsoleTests {
    @Test("A role in the last of more apps than a form shows stays when the others change")
    func manyApps() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            for number in 0..<101 {
                _ = try await server.runOnServer(CreateApp(id: AppID("z\(number)"), name: "Game \(number)"))
            }
            let owner = try await server.person("kim", grants: ["*": "owner"])
            _ = try await server.runOnServer(
                InviteOperator(name: "lee", grants: [.app("z99"): .support, .app("game"): .viewer])
            ).text
            let page = try await owner.server("operator.granted", ["name": "lee"], ["grant.game": "operator"])
            #expect(page.text.contains("z99: support"), "\(page.text)")
            let done = try await owner.submit(page, ["reason": "is a lead now"], to: "/do/operator.granted")
            #expect(done.status == 303, "\(done.text)")
            let lee = try await server.run(ListOperators()).first { $0.name == "lee" }
            #expect(lee?.grants.text == "game=operator, z99=support")
        }
    }
}

extension ConsoleBrowser {
    /// Fills in the form of an action that concerns no app, up to the confirmation page.
    fileprivate func server(
        _ action: String, _ query: [String: String], _ fields: [String: String]
    ) async throws -> ConsolePage {
        let values = ConsolePage.encoded(query)
        let page = try await get("/console/do/\(action)\(values.isEmpty ? "" : "?\(values)")")
        guard (try? page.form("/do/\(action)/check")) != nil else { return page }
        return try await submit(page, fields, to: "/do/\(action)/check")
    }
}
