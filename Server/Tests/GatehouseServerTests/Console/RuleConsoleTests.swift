import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The app's rules and keys, as an operator changes them.
@Suite struct RuleConsoleTests {
    @Test("UI-ACC-1: account rules show the difference, count once, and are undone", arguments: Engine.ofDoors)
    func accounts(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let kim = try await world.person("kim", .operator)
            let wrong = try await kim.confirmation(
                of: "accounts.set", [:],
                ["graceDays": "31", "restoreDays": "x", "redirects": "javascript:alert(1)", "supportURL": "ftp://x"])
            #expect(wrong.status == 422)
            for field in ["graceDays", "restoreDays", "redirects", "supportURL"] {
                #expect(wrong.problem(field) != nil)
            }
            #expect(try await kim.confirmation(of: "accounts.set").problem("graceDays") != nil)
            let page = try await kim.confirmation(
                of: "accounts.set", [:],
                [
                    "restoreDays": "60", "redirects": "mygame://login\nhttps://example.com/back",
                    "consent": "removal", "defaultLanguage": "ko",
                ])
            #expect(page.text.contains("30 days 60 days"), "\(page.text)")
            let done = try await kim.follow(kim.submit(page, ["reason": "longer"], to: "/do/accounts.set"))
            #expect(done.result != nil && done.text.contains("60 days"))
            let policy = try await world.run(ReadApp()).policy
            #expect(policy.restoreDays == 60 && policy.consent == .removal && policy.transfer != nil)
            #expect(policy.redirects == ["mygame://login", "https://example.com/back"])
            let undo = try #require(done.links.first { $0.contains("/do/accounts.set?earlier=") })
            let back = try await kim.submit(kim.get(undo), to: "/check")
            #expect(try await kim.submit(back, ["reason": "as before"], to: "/do/accounts.set").status == 303)
            let former = try await world.run(ReadApp()).policy
            #expect(former.restoreDays == 30 && former.redirects == nil && former.consent == .withdrawal)
            let lee = try await world.person("lee", .viewer)
            #expect(try await lee.get("/console/apps/game/accounts").status == 200)
            #expect(try await lee.get("/console/apps/game/do/accounts.set").status == 403)
        }
    }

    @Test(
        "UI-TRF-1: issued transfer accounts work after the policy was switched off and on with other letters",
        arguments: Engine.ofDoors)
    func transfer(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let kim = try await world.person("kim", .operator)
            let issued = try await world.issue(for: try await world.guestPlayer())
            let pair = TransferRedemption(id: issued.id, password: try #require(issued.password))
            func redeem() async throws -> Int {
                try await world.call(Endpoints.redeemTransferAccount, pair, by: TestDevice()).status
            }
            let off = try await kim.perform("transfer-policy.set", [:], ["transferOn": "off"])
            #expect(off.result != nil)
            world.clock.advance(seconds: 1)
            #expect(try await redeem() != 200)
            let short = ["transferOn": "on", "transferIdLetters": "lower-upper", "transferIdLength": "8"]
            #expect(
                try await kim.confirmation(of: "transfer-policy.set", [:], short).problem("transferIdLength") != nil)
            let on = try await kim.perform(
                "transfer-policy.set", [:], short.merging(["transferIdLength": "20", "transferAttempts": "3"]) { $1 })
            #expect(on.result != nil && on.text.contains("10³⁴"), "\(on.text)")
            world.clock.advance(seconds: 1)
            #expect(try await redeem() == 200)
        }
    }

    @Test("Limits are set with their difference, and undone", arguments: Engine.ofDoors)
    func limits(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let kim = try await world.person("kim", .operator)
            let name = "newGuestsPerMinute"
            #expect(try await kim.get("/console/apps/\(World.app)/limits").text.contains("30,000"))
            #expect(try await kim.confirmation(of: "limits.set", [:], [name: "-1"]).problem(name) != nil)
            let huge = try await kim.confirmation(of: "limits.set", [:], [name: "99999999999999999999"])
            #expect(huge.problem(name) != nil)
            let done = try await kim.perform("limits.set", [:], [name: "0", "liveSessions": "3"])
            #expect(done.result != nil && done.text.contains("no limit"))
            let undo = try #require(done.links.first { $0.contains("/do/limits.set?earlier=") })
            let form = try await kim.get(undo).form("/check")
            #expect(form.fields[name] == "30000" && form.fields["liveSessions"] == "100")
        }
    }

    @Test(
        "UI-KEY-1, UI-KEY-2: a new key logs nobody out, and ending all tokens is an owner's", arguments: Engine.ofDoors)
    func keys(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let (eve, kim) = (try await world.person("eve", .owner), try await world.person("kim", .operator))
            let phone = TestDevice()
            let login = try await world.guest(phone)
            #expect(try await kim.get("/console/apps/game/signing-keys").status == 403)
            let rotated = try await eve.perform("key.rotated")
            #expect(rotated.result != nil && rotated.text.contains("Published, will sign"), "\(rotated.text)")
            world.clock.advance(seconds: 601)
            #expect(try await world.heartbeat(phone, login.session.accessToken).status == 200)
            let page = try await eve.get("/console/apps/game/signing-keys")
            #expect(page.text.contains("Replaced, tokens still valid") && !page.text.contains("Published, will sign"))

            _ = try await eve.signIn()
            let wrong = try await eve.perform("key.rotated-revoking", more: ["typed": "gam"])
            #expect(wrong.status == 422)
            #expect(try await eve.perform("key.rotated-revoking", more: ["typed": "game"]).result != nil)
            world.clock.advance(seconds: 1)
            #expect(try await world.heartbeat(phone, login.session.accessToken).status == 401)
            #expect(try await world.refresh(phone, login.session.refreshToken).status == 200)
        }
    }

    @Test(
        "UI-SEC-1, UI-SEC-2: a secret is shown once, its last use is noted, and its end is confirmed by its id",
        arguments: Engine.ofDoors)
    func secrets(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let eve = try await world.person("eve", .owner)
            let phone = TestDevice()
            let token = try await world.guest(phone).session.accessToken
            let page = try await eve.confirmation(of: "secret.created", [:], ["kind": "own"])
            let send = ["reason": "a new game server"]
            let shown = try await eve.submit(page, send, to: "/do/secret.created")
            let secret = try #require(shown.html.firstMatch(of: /gsk_[A-Za-z0-9_-]{43}/)).output
            #expect(shown.status == 200)
            // The same page once more makes no second key, and shows none.
            let again = try await eve.submit(page, send, to: "/do/secret.created")
            #expect(again.status == 303 && !again.html.contains("gsk_"))
            // The list shows each key's first and last letters, and no key.
            let list = try await eve.follow(again)
            #expect(!list.html.contains(secret.dropFirst(8)) && !list.html.contains(/gsk_[A-Za-z0-9_-]{43}/))
            world.clock.advance(seconds: 1)
            #expect(try await world.checkToken(token, secret: String(secret)).status == 200)
            let secrets = try await world.secrets()
            #expect(secrets.count == 2)
            #expect(try await eve.confirmation(of: "secret.revoked-old").text.contains("has not been used"))
            // The door notes each use, and the sweeper writes it.
            let (uses, former) = (SecretUses(), try #require(secrets.last))
            uses.note(former, of: World.app, at: world.clock.now)
            try await uses.write(to: world.database)
            let confirmation = try await eve.confirmation(of: "secret.revoked-old")
            #expect(confirmation.text.contains("a game server still needs it"), "\(confirmation.text)")
            // The key that ends is named with what ends with it, and its id is what has to be typed.
            let (old, new) = (try #require(former.hint), try #require(secrets[0].hint))
            #expect(confirmation.text.contains("The key \(former.id) (\(old)) ends."))
            #expect(confirmation.text.contains("\(secrets[0].id) (\(new)) stays valid"))
            let newest = ["reason": "changed over", "typed": secrets[0].id]
            #expect(try await eve.submit(confirmation, newest, to: "/do/secret.revoked-old").status == 422)
            let typed = ["reason": "changed over", "typed": former.id]
            #expect(try await eve.submit(confirmation, typed, to: "/do/secret.revoked-old").status == 303)
            world.clock.advance(seconds: 1)
            #expect(try await world.checkToken(token).code == ErrorCode.userPermission.rawValue)
            let named = try await eve.confirmation(of: "secret.created", [:], ["kind": "named", "name": "queue"])
            #expect(named.problem("scope.check") != nil)
            let kim = try await world.person("kim", .operator)
            #expect(try await kim.get("/console/apps/game/secrets").status == 403)
            #expect(try await kim.get("/console/apps/game/do/secret.created").status == 403)
        }
    }
}

extension World {
    fileprivate func secrets() async throws -> [AppSecret] {
        try await database.read { tx in try SecretQueries.secrets(of: World.app, in: tx) }
    }
}
