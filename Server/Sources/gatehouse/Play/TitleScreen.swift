#if Player
import Foundation
import Gatehouse
import GatehouseWire

/// The title screen of a game, with the login flow of the seeds: the last player is logged in without being asked; otherwise the player
/// chooses. Every call of the SDK is available through one of its lines.
struct TitleScreen {
    let player: Player

    private var gatehouse: GatehouseClient { player.gatehouse }

    func run() async throws {
        Terminal.say("\n  T H E   G A T E H O U S E\n")
        guard await start() else { return }
        if gatehouse.state == .restoring {
            await attempt("last")
            if gatehouse.userID != nil { Terminal.say("Welcome back.") }
        }
        while let line = ask() {
            if ["q", "quit", "exit"].contains(line) { return }
            await choose(line)
        }
    }

    /// Starts the SDK, and offers to try again while the server can't be reached.
    private func start() async -> Bool {
        while true {
            do throws(AuthError) {
                let launching = try await gatehouse.start()
                if let message = launching.message { Terminal.say("\(message)") }
                if !launching.isPlayable { Terminal.say("The game is not in service (\(launching.status.name)).") }
                return true
            } catch {
                if error.isNetworkError { Terminal.say("\(player.unanswered(error))") } else { report(error) }
                guard error.isNetworkError, Terminal.ask("Try again? [Y/n] ").map({ $0.lowercased() != "n" }) == true
                else { return false }
            }
        }
    }

    /// An option for the player: a line of the menu and its step.
    private struct Choice {
        let text: String
        let step: String
        /// The questions to ask first. The answers are appended to the step's name.
        var questions: [String] = []
    }

    private static let idp = "Which identity provider (google, appleid, facebook ...)?"

    private var choices: [Choice] {
        guard gatehouse.userID != nil else {
            return [
                Choice(text: "play as guest", step: "guest"),
                Choice(text: "log in with an identity provider", step: "login", questions: [Self.idp]),
                Choice(text: "redeem a transfer account", step: "redeem", questions: ["Id?", "Password?"]),
                Choice(text: "redeem a transfer key", step: "redeem-key", questions: ["Key?"]),
            ]
        }
        let isGuest = gatehouse.currentProvider == .guest
        let isPending = gatehouse.standing?.reason == .withdrawalPending
        return [
            Choice(text: "show my account", step: "me"), Choice(text: "heartbeat", step: "heartbeat"),
            Choice(text: "map an identity provider", step: "map", questions: [Self.idp]),
            Choice(text: "remove a mapping", step: "unmap", questions: [Self.idp]),
        ]
            + (isGuest
                ? [
                    Choice(text: "issue a transfer account", step: "issue"),
                    Choice(text: "look at the transfer account", step: "query"),
                    Choice(text: "renew its password", step: "renew:password"),
                    Choice(text: "issue a transfer key for an hour", step: "key:3600"),
                    Choice(text: "redeem a transfer account", step: "redeem", questions: ["Id?", "Password?"]),
                ] : [])
            + [
                isPending
                    ? Choice(text: "stay: cancel the withdrawal", step: "withdraw-cancel")
                    : Choice(text: "leave after a grace period", step: "withdraw-request"),
                Choice(text: "leave at once", step: "withdraw"), Choice(text: "log out", step: "logout"),
            ]
    }

    private func ask() -> String? {
        let lines = choices.enumerated().map { "  \($0 + 1)  \($1.text)\n" }
        return Terminal.ask("\n\(Terminal.Text(lines: lines.joined()))  q  quit\n> ")
    }

    private func choose(_ line: String) async {
        guard let number = Int(line), (1...choices.count).contains(number) else {
            return Terminal.say("Type one of the numbers before the lines, or q.")
        }
        let choice = choices[number - 1]
        var step = choice.step
        for question in choice.questions {
            guard let answer = Terminal.ask("\(question) "), !answer.isEmpty else { return }
            step += ":\(answer)"
        }
        await attempt(step)
        if player.ticket != nil { await solveConflict() }
        if gatehouse.userID == nil { showNotice() }
    }

    /// 3302 can be resolved: the player sees the other account, and chooses.
    private func solveConflict() async {
        guard let ticket = player.ticket else { return }
        let other = ticket.mappedMember
        Terminal.say("This account belongs to another player of yours:")
        Terminal.say("  user id     \(ticket.mappedUserId)")
        Terminal.say("  registered  \(time(other.registrationDate)), last seen \(time(other.lastLoginDate))")
        Terminal.say("  identities  \(other.providers.map(\.rawValue).joined(separator: ", "))")
        switch Terminal.ask("Keep playing here as before (k), move it here (m), or play over there (p)? ") {
        case "m": await attempt("force")
        case "p": await attempt("change")
        default: break
        }
        player.ticket = nil
    }

    private func attempt(_ text: String) async {
        guard let step = try? PlayStep(text) else { return }
        do throws(AuthError) {
            let fields = try await step.run(player)
            for name in ["id", "password", "transferKey"] {
                if let value = fields[name]?.stringValue { Terminal.say("  \(name)  \(value)") }
            }
            showAccount()
        } catch {
            report(error)
        }
    }

    private func showAccount() {
        guard case .signedIn(let member) = gatehouse.state else { return }
        Terminal.say("  user id     \(member.userId)")
        Terminal.say("  identities  \(member.mappings.map(\.provider.rawValue).joined(separator: ", "))")
        Terminal.say("  registered  \(time(member.registrationDate))")
        if let message = gatehouse.standing?.message { Terminal.say("  \(message)") }
        if let until = gatehouse.standing?.untilDate { Terminal.say("  until       \(time(until))") }
    }

    /// Shows why the player was logged out.
    private func showNotice() {
        guard case .signedOut(.sessionEnded(let notice)) = gatehouse.state else { return }
        Terminal.say("Your session has ended (\(notice.reason)).")
        if let message = notice.message { Terminal.say("\(message)") }
        if let end = notice.ban?.endDate { Terminal.say("Until \(time(end)).") }
        if let contact = notice.ban?.contact { Terminal.say("Questions: \(contact)") }
    }

    private func report(_ error: AuthError) {
        Terminal.say("\(error.message) (\(error.code.rawValue) \(error.name))")
        if let end = error.ban?.endDate { Terminal.say("Until \(time(end)).") }
        if let advice = error.code.row?.advice { Terminal.say("\(advice)") }
        if let id = error.transactionID { Terminal.say("Transaction \(id)") }
    }

    private func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }
}
#endif
