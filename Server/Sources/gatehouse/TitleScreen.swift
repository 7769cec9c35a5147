#if Player
import Foundation
import Gatehouse
import GatehouseWire

/// The title screen of a game, as the seeds' login flow has it: the last player is in without being asked; otherwise the
/// player chooses.
struct TitleScreen {
    let gatehouse: Gatehouse

    func run() async throws {
        Terminal.say("\n  T H E   G A T E H O U S E\n")
        guard await start() else { return }
        if gatehouse.state == .restoring { await restore() }
        while let choice = ask() {
            switch choice {
            case "1" where gatehouse.userID == nil:
                await attempt { try await show(gatehouse.logIn(with: .guest).member) }
            case "1": await attempt { try await show(gatehouse.fetchMember()) }
            case "2" where gatehouse.userID != nil: await attempt { try await heartbeat() }
            case "3" where gatehouse.userID != nil: await attempt { try await logOut() }
            case "q", "quit", "exit": return
            default: Terminal.say("Type one of the letters before the lines.")
            }
        }
    }

    /// Starts, and offers to try again while the server can't be reached.
    private func start() async -> Bool {
        while true {
            do throws(AuthError) {
                let launching = try await gatehouse.start()
                if let message = launching.message { Terminal.say(message) }
                if !launching.isPlayable { Terminal.say("The game is not in service (\(launching.status.name)).") }
                return true
            } catch {
                report(error)
                guard error.isNetworkError, Terminal.ask("Try again? [Y/n] ").map({ $0.lowercased() != "n" }) == true
                else { return false }
            }
        }
    }

    private func restore() async {
        await attempt {
            let login = try await gatehouse.logInWithLastProvider()
            Terminal.say("Welcome back.")
            show(login.member)
        }
    }

    private func ask() -> String? {
        let lines =
            gatehouse.userID == nil ? ["1  play as guest"] : ["1  show my account", "2  heartbeat", "3  log out"]
        return Terminal.ask("\n" + (lines + ["q  quit"]).map { "  \($0)\n" }.joined() + "> ")
    }

    private func heartbeat() async throws(AuthError) {
        let standing = try await gatehouse.sendHeartbeat().standing
        Terminal.say(standing.isPlayable ? "You may play." : standing.message ?? "You may not play now.")
    }

    private func logOut() async throws(AuthError) {
        try await gatehouse.logOut()
        Terminal.say("You are logged out. As a guest you will be the same player again.")
    }

    private func show(_ member: Member) {
        let date = Date(timeIntervalSince1970: Double(member.registrationDate) / 1_000)
        Terminal.say("  user id     \(member.userId)")
        Terminal.say("  identities  \(member.mappings.map(\.provider.rawValue).joined(separator: ", "))")
        Terminal.say("  registered  \(date.formatted(.iso8601))")
    }

    private func attempt(_ call: () async throws -> Void) async {
        do {
            try await call()
        } catch let error as AuthError {
            report(error)
        } catch {
            Terminal.say("\(error)")
        }
    }

    private func report(_ error: AuthError) {
        Terminal.say("\(error.message) (\(error.code.rawValue) \(error.name))")
        if let advice = error.code.row?.advice { Terminal.say(advice) }
    }
}
#endif
