import Foundation
import GatehouseSecurity
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The pages of an app's rules and keys. What the changes do is proven with their actions.
@Suite struct RuleConsoleTests {
    @Test("UI-ACC-1: a setting's confirmation shows the difference, and its undo fills the form in as it was")
    func accounts() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let page = try await kim.confirmation(
                of: "accounts.set", [:], ["restoreDays": "60", "redirects": "mygame://login\nhttps://example.com/back"])
            #expect(page.text.contains("30 days 60 days"), "\(page.text)")
            let done = try await kim.follow(kim.submit(page, ["reason": "longer"], to: "/do/accounts.set"))
            #expect(done.result != nil && done.text.contains("60 days"))
            #expect(
                try await server.run(ReadApp()).policy.redirects == ["mygame://login", "https://example.com/back"])
            let back = try await kim.submit(kim.ordinaryUndo(of: done), to: "/check")
            #expect(try await kim.submit(back, ["reason": "as before"], to: "/do/accounts.set").status == 303)
            let former = try await server.run(ReadApp()).policy
            #expect(former.restoreDays == 30 && former.redirects == nil)
            let unlimited = try await kim.perform("limits.set", [:], ["newGuestsPerMinute": "0"])
            #expect(unlimited.text.contains("no limit") && unlimited.text.contains("3,000"), "\(unlimited.text)")
        }
    }

    @Test("UI-KEY-1, UI-KEY-2: the state of each signing key is on its page, which is an owner's")
    func keys() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let (eve, kim) = (try await server.person("eve", .owner), try await server.person("kim", .operator))
            for page in ["signing-keys", "secrets"] {
                #expect(try await kim.get("/console/apps/game/\(page)").status == 403)
            }
            let rotated = try await eve.perform("key.rotated")
            #expect(rotated.result != nil && rotated.text.contains("Published, will sign"), "\(rotated.text)")
            server.clock.advance(seconds: 601)
            let page = try await eve.get("/console/apps/game/signing-keys")
            #expect(page.text.contains("Replaced, tokens still valid") && !page.text.contains("Published, will sign"))
        }
    }

    @Test("UI-SEC-1: a secret is shown once, and then only by its first and last letters")
    func secrets() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let eve = try await server.person("eve", .owner)
            let page = try await eve.confirmation(of: "secret.created", [:], ["kind": "own"])
            let send = ["reason": "a new game server"]
            let shown = try await eve.submit(page, send, to: "/do/secret.created")
            let secret = try #require(shown.html.firstMatch(of: /gsk_[A-Za-z0-9_-]{43}/)).output
            #expect(shown.status == 200)
            // The same page once more makes no second key, and shows none.
            let again = try await eve.submit(page, send, to: "/do/secret.created")
            #expect(again.status == 303 && !again.html.contains("gsk_"))
            let list = try await eve.follow(again)
            #expect(!list.html.contains(secret.dropFirst(8)) && !list.html.contains(/gsk_[A-Za-z0-9_-]{43}/))
            let token = try await server.guest(TestDevice()).session.accessToken
            server.clock.advance(seconds: 1)
            #expect(try await server.checkToken(token, secret: String(secret)).status == 200)
            #expect(try await server.run(ListSecrets()).count == 2)
        }
    }
}
