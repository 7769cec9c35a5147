import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseConsole

/// Who reaches the console at all, and what is around every page of it.
@Suite struct ConsoleDoorTests {
    /// An answer without what differs between two calls.
    private static func plain(_ page: ConsolePage) -> String {
        let headers = page.answer.headers.filter {
            !["date", "x-tcgb-transaction-id", "content-length"].contains($0.name.canonicalName)
        }
        let names = headers.map { "\($0.name): \($0.value)" }.sorted()
        // The members of an object have no order.
        let body = page.html.replacing(/"transactionId":"[^"]*"/, with: "").filter { $0 != "," }.sorted()
        return "\(page.status) \(names) \(String(body))"
    }

    @Test("NET-2: from elsewhere the console does not exist, and its address answers as any other that is none")
    func networks() async throws {
        try await TestServer.openConsole(on: .sqlite) { configuration in
            configuration.console?.networks = Networks(["10.0.0.0/8"]) ?? .none
            configuration.trustedProxies = Networks(["127.0.0.1", "::1"]) ?? .none
        } _: { server in
            let browser = server.stranger
            let near = try await browser.get(
                "/console/sign-in", headers: ["X-Forwarded-For": "10.1.2.3", "X-Forwarded-Proto": "https"])
            #expect(near.status == 200)
            let style = try #require(near.html.firstMatch(of: /href="(\/console\/assets[^"]+)"/)?.output.1)
            for header in [[:], ["X-Forwarded-For": "8.8.8.8"], ["X-Forwarded-For": "10.1.2.3, 8.8.8.8"]] {
                let nowhere = Self.plain(try await browser.get("/nowhere", headers: header))
                for path in [
                    "/console", "/console/", "/console/sign-in", "/console/apps/game", String(style), "/console/none",
                ] {
                    #expect(Self.plain(try await browser.get(path, headers: header)) == nowhere, "\(path) \(header)")
                }
                let entry = try await browser.get("/console/enter/\(TestServer.consoleEntry)", headers: header)
                #expect(Self.plain(entry) == nowhere)
                #expect(try await browser.post("/console/sign-in", ["name": "kim"], headers: header).status == 404)
            }
        }
    }

    @Test(
        "NET-2: what a proxy has passed on that nobody has named does not reach the console",
        arguments: ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
    func stranger(header: String) async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let browser = try await server.developer()
            #expect(try await browser.get("/console").status == 200)
            #expect(try await browser.get("/console", headers: [header: "127.0.0.1"]).status == 404)
        }
        try await TestServer.openConsole(on: .sqlite) { configuration in
            configuration.console = nil
        } _: { server in
            let page = try await server.stranger.get("/console/sign-in")
            #expect(page.status == 404)
        }
    }

    @Test("NET-3: no page takes a password that crosses a network in the clear, and the page says so")
    func clear() async throws {
        try await TestServer.openConsole(on: .sqlite) { configuration in
            configuration.console?.networks = Networks(["10.0.0.0/8", "127.0.0.0/8", "::1"]) ?? .none
            configuration.trustedProxies = Networks(["127.0.0.1", "::1"]) ?? .none
        } _: { server in
            let own = ["X-Forwarded-For": "10.1.2.3"]
            let clear: [[String: String]] = [
                [:], ["X-Forwarded-Proto": "http"], ["X-Forwarded-Proto": "https, http"],
                ["Forwarded": "for=10.1.2.3;proto=http"],
                ["Forwarded": "proto=https, for=10.1.2.3"], ["X-Forwarded-Proto": ""],
            ]
            for headers in clear {
                for path in ["/console/sign-in", "/console", "/console/enrol/none", "/console/me"] {
                    let page = try await server.stranger.get(path, headers: own.merging(headers) { $1 })
                    #expect(
                        page.status == 403 && page.forms.isEmpty && page.text.contains("HTTPS"), "\(headers) \(path)")
                }
                let sent = try await server.stranger.post(
                    "/console/sign-in", ["name": "kim"], headers: own.merging(headers) { $1 })
                #expect(sent.status == 403 && sent.forms.isEmpty)
            }
            for headers in [["X-Forwarded-Proto": "https"], ["Forwarded": "for=10.1.2.3;proto=https"]] {
                let page = try await server.stranger.get("/console/sign-in", headers: own.merging(headers) { $1 })
                #expect(page.status == 200 && page.forms.count == 1, "\(headers)")
            }
            // Proxies behind the first one may speak plain HTTP with each other.
            for (hops, scheme, isEncrypted) in [
                ("10.1.2.3, 127.0.0.1", "https,http", true), ("10.1.2.3, 127.0.0.1", "http,https", false),
                ("10.1.2.3, 10.1.2.4", "https,http", false),
            ] {
                let page = try await server.stranger.get(
                    "/console/sign-in", headers: ["X-Forwarded-For": hops, "X-Forwarded-Proto": scheme])
                #expect(page.status == (isEncrypted ? 200 : 403), "\(hops) \(scheme)")
            }
            // On the machine itself nothing crosses a network.
            #expect(try await server.stranger.get("/console/sign-in").status == 200)
        }
    }

    private static let paths = [
        "/console", "/console/sign-in", "/console/me", "/console/operators", "/console/jobs", "/console/health",
        "/console/apps/game", "/console/apps/game/members", "/console/apps/game/members/none",
        "/console/apps/game/members?q=%00", "/console/find?q=x&app=game", "/console/find?part=1",
        "/console/apps/none/members",
        "/console/apps/game/do/member.banned", "/console/apps/game/do/none", "/console/none", "/console/",
        "/console/apps/%00/members", "/console/apps/%ff/members", "/console/enrol/none", "/console/enter/none",
        "/console/apps/game/members?after=%zz", "/console/\(String(repeating: "a", count: 4_000))",
    ]

    @Test("CON-3: every answer has the headers of safety, errors too", arguments: Engine.ofDoors)
    func headers(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            func expectSafe(_ page: ConsolePage) throws {
                let headers = page.answer.headers
                func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
                let policy = try #require(value("Content-Security-Policy"), "\(page.path)")
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(policy.contains("base-uri 'none'") && policy.contains("form-action 'self'"))
                #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("data:"))
                #expect(value("X-Content-Type-Options") == "nosniff", "\(page.path)")
                #expect(value("Cross-Origin-Opener-Policy") == "same-origin", "\(page.path)")
                #expect(value("X-Robots-Tag") == "noindex", "\(page.path)")
                #expect(value("Cross-Origin-Resource-Policy") == "same-origin", "\(page.path)")
                #expect(value("Referrer-Policy") == "same-origin", "\(page.path)")
                #expect(value("Strict-Transport-Security") != nil, "\(page.path)")
                let cache = page.path.contains("/assets/") ? "public, max-age=31536000, immutable" : "no-store"
                #expect(value("Cache-Control") == cache, "\(page.path)")
                #expect(page.status < 500, "\(page.path): \(page.text)")
                #expect(!page.html.contains(/[ ]style="|[ ]on[a-z]+="|<style|<script>/), "\(page.path)")
            }
            let developer = try await server.developer()
            for browser in [server.stranger, developer] {
                for path in Self.paths {
                    try expectSafe(try await browser.get(path))
                    try expectSafe(try await browser.post(path, ["a": "b"]))
                    try expectSafe(try await browser.post(path, [:], headers: ["Content-Type": "text/plain"]))
                    try expectSafe(try await browser.post(path, [:], headers: ["Origin": "https://evil.example"]))
                }
            }
            let home = try await developer.get("/console")
            for match in home.html.matches(of: /(?:href|src)="(\/console\/assets[^"]+)"/) {
                let asset = try await server.stranger.get(String(match.output.1))
                #expect(asset.status == 200)
                try expectSafe(asset)
            }
        }
    }

    @Test(
        "The style and the script go compressed to a browser that takes that, and no page does, because pages have secrets"
    )
    func compression() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.developer()
            let home = try await kim.get("/console", headers: ["Accept-Encoding": "gzip, deflate, br"])
            #expect(home.answer.headers[.contentEncoding] == nil && home.html.hasPrefix("<!doctype html>"))
            let files = home.html.matches(of: /(?:href|src)="(\/console\/assets[^"]+\.(?:css|js))"/)
            #expect(files.count == 2)
            for file in files {
                for (accepted, encoding) in [
                    ("gzip, deflate, br, zstd", "gzip"), ("br;q=1, GZIP;q=0.5", "gzip"), ("gzip;q=0", nil),
                    ("br", nil), ("", nil), ("gzipped", nil), (",;q=,;;", nil),
                ] as [(String, String?)] {
                    let answer = try await kim.get(
                        String(file.output.1), headers: ["Accept-Encoding": accepted]
                    ).answer
                    #expect(answer.status == 200 && answer.headers[.vary] == "Accept-Encoding")
                    #expect(answer.headers[.contentEncoding] == encoding, "\(accepted)")
                }
            }
        }
    }

    @Test("A link from another site arrives without the cookie: the page that answers it loads itself again, from here")
    func crossSite() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let path = "/console/apps/game/members?status=B"
            let bounce = try await server.stranger.get(path, headers: ["Sec-Fetch-Site": "cross-site"])
            #expect(bounce.status == 200 && HTTPField.Name("Refresh").flatMap { bounce.answer.headers[$0] } == "0")
            #expect(bounce.forms.isEmpty && bounce.answer.headers[.setCookie] == nil)
            let shown = try await server.stranger.get(path, headers: ["Sec-Fetch-Site": "same-origin"])
            #expect(try shown.form("/sign-in").fields["to"] == path)
        }
    }

    @Test("CON-1: a form without the token, of another origin or of another session changes nothing, and is noted")
    func foreignForms() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let device = TestDevice()
            let player = try await server.guest(device)
            let (kim, lee) = (try await server.person("kim", .support), try await server.person("lee", .support))
            let page = try await kim.confirmation(
                of: "member.banned", ["user": player.member.userId.rawValue], ["length": "3d"])
            let form = try page.form("/do/member.banned")
            let fields = form.fields.merging(["reason": "a good reason"]) { $1 }
            let other = try await lee.get("/console/me").form("/me").fields["token"] ?? ""
            server.audit.clear()
            let attempts: [([String: String?], [String: String])] = [
                (["token": nil], [:]), (["token": ""], [:]), (["token": other], [:]), (["token": "A"], [:]),
                ([:], ["Origin": "https://evil.example"]), ([:], ["Origin": "null"]), ([:], ["Origin": ""]),
                ([:], ["Origin": "\(TestServer.origin).evil.example"]), ([:], ["Sec-Fetch-Site": "cross-site"]),
                ([:], ["Sec-Fetch-Site": "same-site"]),
            ]
            for (change, headers) in attempts {
                let sent = fields.merging(change.compactMapValues { $0 }) { $1 }
                    .filter { change[$0.key].map { $0 != nil } ?? true }
                let answer = try await kim.post(form.action, sent, headers: headers)
                #expect(answer.status == 403, "\(change) \(headers)")
            }
            #expect(server.audit.events.filter { $0 == "operator.foreign-form" }.count == attempts.count)
            for type in ["text/plain", "application/json", "multipart/form-data; boundary=x"] {
                #expect(try await kim.post(form.action, fields, headers: ["Content-Type": type]).status == 415)
            }
            let address = form.action.prefix { $0 != "?" }
            #expect(try await kim.get("\(address)?\(ConsolePage.encoded(fields))").status == 200)
            #expect(try await server.heartbeat(device, player.session.accessToken).status == 200)
            #expect(try await kim.post(form.action, fields).status == 303)
            #expect(try await server.heartbeat(device, player.session.accessToken).code == 3011)
        }
    }

    @Test("CON-1: a form is of the server's own origin, however the public URL is written")
    func spelledOrigin() async throws {
        try await TestServer.openConsole(on: .sqlite) { configuration in
            configuration.publicOrigins = PublicOrigins(["HTTPS://Login.Example.com.:443/"]) ?? .loopback
        } _: { server in
            let kim = try await server.person("kim", .support)
            #expect(try await kim.get("/console/me").status == 200)
        }
    }

    @Test(
        "CON-8: each change is open to its role and those above it, by page and by a form that somebody makes",
        arguments: OperatorRole.allCases)
    func matrix(role: OperatorRole) async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", role)
            let token = try await kim.get("/console/me").form("/me").fields["token"] ?? ""
            let abouts = OperatorActions.named.values.map { $0.about }
            for about in abouts where about.isOfServer {
                // A role in an app is none on the server.
                let status = try await kim.get("/console/do/\(about.name)").status
                #expect([403, 404].contains(status), "\(about.name): \(status)")
                let sent = try await kim.post(
                    "/console/do/\(about.name)", ["token": token, "once": "x", "name": "kim"])
                #expect([403, 404].contains(sent.status), "\(about.name): \(sent.status)")
            }
            for about in abouts where !about.isOfServer {
                let path = "/console/apps/game/do/\(about.name)"
                let fields = ["token": token, "once": "x", "reason": "a good reason", "user": "none"]
                let statuses = [
                    try await kim.get(path).status, try await kim.post("\(path)/check", fields).status,
                    try await kim.post(path, fields).status,
                ]
                let isRefused = statuses.map { $0 == 403 }
                if role < about.role {
                    #expect(isRefused == [true, true, true], "\(about.name): \(statuses)")
                } else {
                    #expect(!isRefused[0], "\(about.name): \(statuses)")
                }
                #expect(statuses.allSatisfy { $0 < 500 }, "\(about.name): \(statuses)")
                let elsewhere = "/console/apps/other-game/do/\(about.name)"
                #expect(try await kim.get(elsewhere).status == 404)
                #expect(try await kim.post(elsewhere, fields).status == 404)
            }
            #expect(try await kim.get("/console/apps/other-game/members").status == 404)
            for path in ["/console/operators", "/console/jobs", "/console/health"] {
                #expect([403, 404].contains(try await kim.get(path).status), "\(path)")
            }
            let home = try await kim.get("/console")
            #expect(home.text.contains("Game") && !home.text.contains("Other game"))
        }
    }

    @Test("Nothing that an address or a form says makes the server fail", arguments: Engine.available)
    func hostileValues(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let browser = try await server.developer()
            let token = try await browser.get("/console/me").form("/me").fields["token"] ?? ""
            let values = [
                "%00", "%FF", "..%2F..%2Fetc", "%F0%9F%92%A9", "'%3B--", "%7B%7Bt%7D%7D", "9223372036854775808", "-1",
                String(repeating: "9", count: 900), "%E2%80%AE",
            ]
            for value in values {
                for path in [
                    "apps/\(value)/members", "apps/game/members/\(value)",
                    "apps/game/members?q=\(value)&after=\(value)",
                    "apps/game/members?status=\(value)&rows=\(value)&done=\(value)", "find?q=\(value)&app=\(value)",
                    "find?part=1&q=ban%20\(value)",
                    "apps/game/refusals?code=\(value)&idp=\(value)&range=\(value)&group=\(value)&before=\(value)",
                    "apps/game/do/\(value)", "apps/game/do/member.banned?user=\(value)", "me?recovered=\(value)",
                    "apps/game/audit?before=\(value)", "apps/game/bans?after=\(value)", "enrol/\(value)",
                ] {
                    let page = try await browser.get("/console/\(path)")
                    #expect(page.status < 500, "\(path): \(page.text)")
                }
                let text = value.removingPercentEncoding ?? "\u{fffd}"
                let fields = [
                    "token": token, "once": text, "seen": text, "user": text, "length": "until", "until": text,
                    "template": text, "reason": "reason \(text)", "ticket": text, "name": text, "password": text,
                    "code": text, "zone": text, "back": text, "to": text, "kept": text, "session": text, "new": text,
                ]
                for path in [
                    "apps/game/do/member.banned", "apps/game/do/member.banned/check", "me", "me/language",
                    "me/password",
                    "me/sessions", "sign-in", "enrol/x",
                ] {
                    let page = try await browser.post("/console/\(path)", fields)
                    #expect(page.status < 500, "\(path) \(value): \(page.text)")
                }
            }
        }
    }
}
