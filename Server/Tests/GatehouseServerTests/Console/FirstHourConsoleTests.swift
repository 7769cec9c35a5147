import Foundation
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import HummingbirdTesting
import TestDatabases
import Testing

@testable import GatehouseConsole
@testable import GatehouseCore
@testable import GatehouseServer

/// From an app that does not exist to its first player.
@Suite struct FirstHourConsoleTests {
    private static let renewal = "http-equiv=\"refresh\""
    private static let start = "/console/apps/game/start"

    /// The code that a page shows.
    private static func code(of page: ConsolePage) throws -> String {
        let found = try #require(
            page.html.firstMatch(of: /<code data-copy="[^"]*">(.*?)<\/code>/.dotMatchesNewlines()))
        return [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
        ]
        .reduce(String(found.output.1)) { $0.replacing($1.0, with: $1.1) }
    }

    @Test(
        "An owner of the server creates an app, sees its key once, and is led to its first steps",
        arguments: Engine.ofDoors)
    func create(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let owner = try await server.person("ann", grants: ["*": "owner"])
            let list = try await owner.get("/console")
            #expect(list.links.contains("/console/do/app.created"))
            let form = try await owner.get("/console/do/app.created")
            #expect(try await owner.submit(form, ["name": "a\u{1}b"], to: "/check").problem("name") != nil)
            for id in ["a/b", "../x", "x y", "ä", String(repeating: "x", count: 33)] {
                let page = try await owner.submit(form, ["name": "New", "appId": id], to: "/check")
                #expect(page.status == 422 && page.problem("appId") != nil, "\(id)")
            }
            #expect(
                try await owner.submit(form, ["name": "New", "appId": "game"], to: "/check").problem("appId") != nil)

            // The id is made of the name, and the confirmation says which it is.
            let page = try await owner.submit(form, ["name": "Game <b>"], to: "/check")
            #expect(page.status == 200 && page.text.contains("The app gets the id game-b,"), "\(page.text)")
            #expect(!page.html.contains("Game <b>"))
            let send = ["reason": "a new game"]
            let done = try await owner.submit(page, send, to: "/do/app.created")
            let secret = try #require(done.html.firstMatch(of: /gsk_[A-Za-z0-9_-]{43}/)).output
            #expect(done.status == 200 && done.links.contains("/console/apps/game-b/start"))
            let again = try await owner.submit(page, send, to: "/do/app.created")
            #expect(again.status == 303 && !again.html.contains("gsk_"))
            let home = try await owner.follow(again)
            #expect(home.path.hasPrefix("/console?done=") && home.result?.hasPrefix("The app is created.") == true)
            #expect(home.text.contains("Game <b>") && !home.html.contains("Game <b>"))
            #expect(try await server.run(CheckSecret(secret: SecretKey(String(secret))), in: AppID("game-b")))
            let audit = try await owner.get("/console/audit")
            #expect(audit.text.contains("Create an app") && audit.text.contains("New app game-b"), "\(audit.text)")
            // An address that fills in the name shows what will happen with it, and asks once.
            let filled = try await owner.get("/console/do/app.created?name=Third&reason=another+one")
            #expect(filled.text.contains("The app gets the id third,"), "\(filled.text)")
            let third = try await owner.submit(filled, to: "/do/app.created")
            #expect(third.status == 200 && third.links.contains("/console/apps/third/start"), "\(third.text)")
            let first = try await owner.get("/console/apps/game-b/start")
            #expect(
                first.text.contains("Done: 0 of 7.") && first.html.contains(Self.renewal))
        }
    }

    @Test("CON-8: who does not own the server neither creates nor renames, and is offered neither")
    func roles() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let eve = try await server.person("eve", .owner)
            let lee = try await server.person("lee", grants: ["*": "support"])
            for person in [eve, lee] {
                #expect(try await person.get("/console/do/app.created").status == 403)
                #expect(try await !person.get("/console").links.contains { $0.contains("app.created") })
            }
            #expect(try await lee.get("/console/apps/game/do/app.renamed").status == 403)
            #expect(try await !lee.get(Self.start).links.contains { $0.contains("app.renamed") })
            let renamed = try await eve.perform("app.renamed", [:], ["name": "<i>New</i>"])
            #expect(renamed.path.hasPrefix(Self.start) && renamed.result != nil)
            #expect(renamed.text.contains("<i>New</i>") && !renamed.html.contains("<i>New</i>"))
            #expect(try await eve.ordinaryUndo(of: renamed).status == 200)
        }
    }

    @Test("The first player appears on the page of first steps, with a link, and then the page rests")
    func arrival() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let before = try await kim.get(Self.start)
            #expect(before.html.contains(Self.renewal) && before.text.contains("Waiting for the first player."))
            // What a viewer may not open is not linked.
            #expect(!before.links.contains { $0.hasSuffix("/secrets") || $0.hasSuffix("/operators") })
            let user = try await server.guest(TestDevice()).member.userId
            let after = try await kim.get(Self.start)
            let link = "/console/apps/game/members/\(user)"
            #expect(!after.html.contains(Self.renewal) && after.links.contains(link))
            // A page that was opened before gets the part with the player, and so does the overview, which has the same steps.
            for path in [Self.start, "/console/apps/game"] {
                let part = try await kim.get("\(path)?live=1")
                #expect(part.links.contains(link) && !part.html.contains("<header"), "\(path)")
            }
        }
    }

    @Test("Each language has an address of its own, and its code has the app's id and address, and no secret")
    func languages() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let eve = try await server.person("eve", .owner)
            for language in StartCode.allCases {
                let page = try await eve.get("\(Self.start)?code=\(language.rawValue)")
                let code = try Self.code(of: page)
                #expect(code == language.text(app: TestServer.app, address: TestServer.origin))
                #expect(code.contains(TestServer.origin) && !code.contains("gsk_"))
                #expect(code.contains("GATEHOUSE_SECRET_KEY") != language.isOfGame)
                #expect(page.links.contains("\(Self.start)?code=curl#code"))
            }
            #expect(try await Self.code(of: eve.get("\(Self.start)?code=%3Cx")).contains("import Gatehouse"))
        }
        // An address that could mean something in the code is not shown.
        let hostile = StartCode.curl.text(app: TestServer.app, address: "http://x/$(reboot)")
        #expect(!hostile.contains("reboot") && hostile.contains("https://login.example.com/v1/server/apps/"))
    }

    @Test("The calls of curl work as they stand on the page")
    func curl() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let login = try await server.guest(TestDevice())
            let port = try #require(server.client.port)
            let script = StartCode.curl.text(app: TestServer.app, address: "http://127.0.0.1:\(port)")
            let answer = try await Self.run(
                script,
                [
                    "GATEHOUSE_SECRET_KEY": server.secret.secretValue, "TOKEN": login.session.accessToken.secretValue,
                    "MEMBER": login.member.userId.rawValue,
                ])
            #expect(answer.status == 0, "\(answer.text)")
            let parts = answer.text.ranges(of: login.member.userId.rawValue)
            #expect(parts.count >= 2, "\(answer.text)")
            let refused = try await Self.run(
                "set -e\n" + script, ["GATEHOUSE_SECRET_KEY": "gsk_x", "TOKEN": "x", "MEMBER": "x"])
            #expect(refused.status != 0)
        }
    }

    /// Runs a script of the shell. Its last command decides.
    private static func run(_ script: String, _ environment: [String: String]) async throws -> (
        status: Int32, text: String
    ) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        return (status, String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }

    @Test("UI-SEC-2: the steps of a key's replacement are ticked by what the server knows")
    func rotation() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let eve = try await server.person("eve", .owner)
            let page = "/console/apps/game/secrets"
            #expect(try await !eve.get(page).text.contains("Safe to revoke"))
            let form = try await eve.confirmation(of: "secret.created", [:], ["kind": "own"])
            _ = try await eve.submit(form, ["reason": "replace it"], to: "/do/secret.created")
            let made = try await eve.get(page)
            #expect(made.text.contains("Not yet safe") && made.text.contains("eve"))
            #expect(made.text.contains("never used"))
            let keys = try await server.run(ListSecrets())
            let database = server.database
            func use(_ key: AppSecret) async throws {
                let moment = server.clock.now
                try await database.decide { tx in
                    try SecretQueries.noteUse(
                        hash: key.hash, app: TestServer.app, from: ClientAddress(bytes: [192, 0, 2, 7]), at: moment,
                        in: tx)
                }
            }
            try await use(keys[0])
            try await use(keys[1])
            #expect(try await eve.get(page).html.contains("<small>192.0.2.7</small>"))
            server.clock.advance(seconds: 86_300)
            // The sign-in takes thirty seconds.
            _ = try await eve.signIn()
            #expect(try await eve.get(page).text.contains("Not yet safe"))
            server.clock.advance(seconds: 70)
            #expect(try await eve.get(page).text.contains("Safe to revoke"))
        }
    }

    @Test("UI-SEC-1: who pastes a leaked key is told which it is, and the key is on no page and in no address")
    func leak() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let (eve, kim) = (try await server.person("eve", .owner), try await server.person("kim", .operator))
            let page = try await eve.get("/console/apps/game/secrets")
            let key = server.secret.secretValue
            let found = try await eve.submit(page, ["secret": " \(key) "], to: "/secrets/leaked")
            let address = try #require(found.answer.headers[.location])
            #expect(found.status == 303 && !address.contains("gsk_"))
            let shown = try await eve.get(String(address.prefix { $0 != "#" }))
            let hint = try #require(try await server.run(ListSecrets()).first?.hint)
            #expect(shown.text.contains("It is the key") && shown.text.contains(hint) && !shown.html.contains(key))
            // It is replaced for that reason, and the new key leads on to the end of the former one.
            let begin = try #require(shown.links.first { $0.contains("secret.created?") })
            let form = try await eve.get(begin)
            #expect(try form.form("/do/secret.created").fields["reason"]?.contains("has leaked") == true)
            let made = try await eve.submit(form, [:], to: "/do/secret.created")
            #expect(made.html.contains(/gsk_[A-Za-z0-9_-]{43}/))
            let end = try await eve.get(try #require(made.links.first { $0.contains("secret.revoked-old?") }))
            #expect(try end.form("/do/secret.revoked-old").fields["reason"]?.contains(hint) == true)
            let again = try await eve.submit(page, ["secret": key], to: "/secrets/leaked")
            let known = try await eve.get(String((again.answer.headers[.location] ?? "").prefix { $0 != "#" }))
            #expect(known.links.contains { $0.contains("secret.revoked?") && $0.contains("reason=") })
            for other in ["gsk_\(String(repeating: "x", count: 43))", "hello", "<script>", ""] {
                let none = try await eve.submit(page, ["secret": other], to: "/secrets/leaked")
                #expect(none.status == 422 && none.problem("secret") != nil, "\(other)")
                #expect(other.isEmpty || !none.html.contains(other))
            }
            let token = try await kim.get("/console/me").form("/me").fields["token"] ?? ""
            let refused = try await kim.post("/console/apps/game/secrets/leaked", ["token": token, "secret": key])
            #expect(refused.status == 403 && !refused.html.contains(key))
        }
    }
}
