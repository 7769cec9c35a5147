import GatehousePlatform
import GatehouseWire

// Accounts: conflicts, new devices, players who leave, and what an operator does.
extension Scenario {
    // MARK: Mappings and conflicts

    static let mapping = [
        Scenario("map", "maps a provider to a guest, who can then log in with it elsewhere") { trial in
            let (device, user) = try await trial.player()
            try await trial.pass("map:google", as: user, on: device)
            let second = try await trial.device()
            try await trial.pass("login:google", as: user, on: second)
        },
        Scenario("map-lost-answer", "repeats a mapping whose answer was lost") { trial in
            let (device, user) = try await trial.player()
            trial.disturb("mappings/add", .loseAnswer)
            try await trial.pass("map:google", as: user, on: device)
            try trial.requireOneOutcome(of: "mappings/add")
        },
        Scenario("map-restart", "continues as the provider's player after a mapping and a restart") { trial in
            let (device, user) = try await trial.player()
            try await trial.pass("map:google", as: user, on: device)
            try await trial.restart(device)
            try await trial.pass("last", as: user, on: device)
        },
        Scenario("conflict", "reports a conflict with 3302, and stays who it was") { trial in
            let (device, user, _) = try await trial.conflict()
            try await trial.pass("me", as: user, on: device)
        },
        Scenario("conflict-force", "moves the identity here, and the other device is logged out") { trial in
            let (device, user, owner) = try await trial.conflict()
            try await trial.pass("force", as: user, on: device)
            try await trial.refuse("me", on: owner)
        },
        Scenario("conflict-force-lost", "repeats that when the answer is lost") { trial in
            let (device, user, _) = try await trial.conflict()
            trial.disturb("mappings/force", .loseAnswer)
            try await trial.pass("force", as: user, on: device)
            try trial.requireOneOutcome(of: "mappings/force")
        },
        Scenario("conflict-change", "logs in as the other player, with the new tokens") { trial in
            let (device, user, owner) = try await trial.conflict()
            let other = try await trial.user("me", on: owner)
            try trial.require(other != user, "the conflict is between one player and itself")
            try await trial.pass("change", as: other, on: device)
            try await trial.pass("me", as: other, on: device)
            try await trial.restart(device)
            try await trial.pass("last", as: other, on: device)
        },
        Scenario("conflict-change-lost", "repeats that when the answer is lost") { trial in
            let (device, _, owner) = try await trial.conflict()
            let other = try await trial.user("me", on: owner)
            trial.disturb("login/change", .loseAnswer)
            try await trial.pass("change", as: other, on: device)
            try trial.requireOneOutcome(of: "login/change")
            try await trial.pass("me", as: other, on: device)
        },
        Scenario("conflict-late", "stays who it was when the choice comes a day late") { trial in
            let (device, user, _) = try await trial.conflict()
            try await trial.advance(seconds: 86_400)
            try await trial.refuse("force", on: device)
            try await trial.pass("me", as: user, on: device)
        },
        Scenario("unmap", "removes one of two providers, which then leads to another player") { trial in
            let (device, user) = try await trial.player()
            try await trial.pass("map:google", as: user, on: device)
            try await trial.pass("map:facebook", as: user, on: device)
            // The provider of the session can't be removed.
            try await trial.pass("unmap:facebook", as: user, on: device)
            let (_, other) = try await trial.player("login:facebook")
            try trial.require(other != user, "the provider still leads to the player")
        },
        Scenario("unmap-last", "is refused the removal of the only provider, and stays logged in") { trial in
            let (device, user) = try await trial.player("login:google")
            try await trial.refuse("unmap:google", on: device)
            try await trial.pass("me", as: user, on: device)
        },
    ]

    // MARK: A new device

    static let transfer = [
        Scenario("transfer", "moves a guest to a new device, and the old one is logged out") { trial in
            let (old, user, redeem) = try await trial.transferAccount()
            let new = try await trial.device()
            try await trial.pass(redeem, as: user, on: new)
            try await trial.refuse("me", on: old)
            try await trial.restart(new)
            try await trial.pass("last", as: user, on: new)
        },
        Scenario("transfer-lost-answer", "repeats a transfer whose answer was lost") { trial in
            let (_, user, redeem) = try await trial.transferAccount()
            let new = try await trial.device()
            trial.disturb("transfer-account/redeem", .loseAnswer)
            try await trial.pass(redeem, as: user, on: new)
            try trial.requireOneOutcome(of: "transfer-account/redeem")
        },
        Scenario("transfer-wrong-password", "reports a wrong password with 3044, and nobody is logged in") { trial in
            let (old, user, redeem) = try await trial.transferAccount()
            let new = try await trial.device()
            try await trial.refuse("\(redeem)x", with: 3044, on: new)
            try await trial.refuse("me", on: new)
            try await trial.pass("me", as: user, on: old)
        },
    ]

    // MARK: Players who leave

    static let withdrawal = [
        Scenario("withdraw", "deletes the account, and the device has a new guest afterwards") { trial in
            let (device, user) = try await trial.player()
            try await trial.pass("withdraw", on: device)
            try await trial.refuse("me", on: device)
            try trial.require(try await trial.user("guest", on: device) != user, "the deleted account is back")
        },
        Scenario("withdraw-lost-answer", "repeats a deletion whose answer was lost") { trial in
            let (device, _) = try await trial.player()
            trial.disturb("withdrawal/now", .loseAnswer)
            try await trial.pass("withdraw", on: device)
            try trial.requireOneOutcome(of: "withdrawal/now")
        },
        Scenario("withdraw-cancelled", "keeps an account whose deletion the player takes back") { trial in
            let (device, user) = try await trial.player()
            try await trial.pass("withdraw-request", as: user, on: device)
            try await trial.pass("withdraw-cancel", as: user, on: device)
            try await trial.advance(seconds: 60 * 86_400)
            try await trial.restart(device)
            try await trial.pass("last", as: user, on: device)
        },
        Scenario("withdraw-deadline", "has nobody logged in once the deletion is carried out") { trial in
            let (device, user) = try await trial.player()
            try await trial.pass("withdraw-request", as: user, on: device)
            await device.end()
            try await trial.advance(seconds: 60 * 86_400)
            try await trial.pass("start", on: device)
            try await trial.refuse("last", on: device)
            try trial.require(try await trial.user("guest", on: device) != user, "the deleted account is back")
        },
    ]

    // MARK: What an operator does

    static let operators = [
        Scenario(
            "ban-at-login", "reports a ban with 7 and the transaction id for support, and does not repeat the login"
        ) { trial in
            let (device, user) = try await trial.player()
            try await trial.pass("logout", on: device)
            try await trial.ban(user)
            let before = trial.calls("login").count
            let answer = try await device.step("guest")
            try trial.require(!answer.succeeded && answer.code == 7, "`guest` of a banned player must fail with 7")
            try trial.require(answer.error["transactionId"]?.stringValue != nil, "the error has no `transactionId`")
            try trial.require(trial.calls("login").count == before + 1, "the login of a banned player was repeated")
        },
        Scenario("ban-while-playing", "logs a banned player out, and does not try again and again") { trial in
            let (device, user) = try await trial.player()
            try await trial.ban(user)
            try await trial.refuse("me", on: device)
            try await trial.refuse("me", on: device)
            let count = trial.calls("session/refresh").count + trial.calls("member").count
            try trial.require(count <= 6, "two steps of a banned player made \(count) calls")
        },
        Scenario("ban-ends", "lets the player in again when the ban has ended") { trial in
            let (device, user) = try await trial.player()
            try await trial.pass("logout", on: device)
            try await trial.ban(user, forSeconds: 600)
            try await trial.refuse("guest", with: 7, on: device)
            try await trial.advance(seconds: 700)
            try await trial.pass("guest", as: user, on: device)
        },
        Scenario("kick-out", "logs a player out whom an operator has signed out, and keeps the guest") { trial in
            let (device, user) = try await trial.player()
            try await trial.kickOut(user)
            try await trial.refuse("me", on: device)
            try await trial.refuse("last", on: device)
            try await trial.pass("guest", as: user, on: device)
        },
        Scenario("maintenance-while-playing", "learns of a maintenance by its heartbeat") { trial in
            let (device, _) = try await trial.player()
            try await trial.closeGame()
            let answer = try await device.step("heartbeat")
            try trial.require(
                answer.line["isPlayable"] == false || answer.code == 3701,
                "`heartbeat` must have `isPlayable` false, or fail with 3701")
        },
    ]
}
