import Foundation
import Gatehouse
import GatehouseTesting
import Testing

/// The game's own code, as the article on tests has it: a title screen that says what to show.
struct TitleScreen {
    enum Page: Equatable {
        case lobby(UserID)
        case closed(String)
        case banned(String, contact: String?)
        case ended(String)
        case noConnection
        case failed(ErrorCode)
    }

    let gatehouse: GatehouseClient

    init(_ gatehouse: GatehouseClient) { self.gatehouse = gatehouse }

    /// The player has touched the screen.
    func enter() async -> Page {
        do throws(AuthError) {
            return .lobby(try await logIn().member.userId)
        } catch {
            switch error.code {
            case .socketError, .socketResponseTimeout: return .noConnection
            case .authTokenLoginInvalidTokenInfo: return .ended(error.details.message ?? "")
            case .authNotPlayable: return .closed(error.standing?.message ?? "")
            case .bannedMember: return .banned(error.ban?.message ?? "", contact: error.ban?.contact)
            default: return .failed(error.code)
            }
        }
    }

    private func logIn() async throws(AuthError) -> Login {
        // The player has read why the session has ended, and presses again.
        if case .signedOut(.sessionEnded) = gatehouse.state {
            return try await gatehouse.logIn(with: gatehouse.lastProvider ?? .guest)
        }
        try await gatehouse.start()
        do {
            return try await gatehouse.logInWithLastProvider()
        } catch {
            // Nobody has played on this device.
            guard error.code == .authTokenLoginInvalidLastLoggedInIDP else { throw error }
            return try await gatehouse.logIn(with: .guest)
        }
    }
}

@Suite struct TitleScreenSampleTests {
    let network = ScriptedTransport()

    @Test("A new player is in the lobby after one touch")
    func newPlayer() async {
        network.script(.launching(), .login(userID: "1M8S4CTH3C9FX6Z1"))
        #expect(await TitleScreen(.testing(network)).enter() == .lobby("1M8S4CTH3C9FX6Z1"))
    }

    @Test("A player who comes back is the same one")
    func returningPlayer() async {
        let storage = MemoryStorage()
        network.script(.launching(), .login(), .launching(), .login())
        let first = await TitleScreen(.testing(network, storage: storage)).enter()
        #expect(await TitleScreen(.testing(network, storage: storage)).enter() == first)
        #expect(network.requests.last?.url.path == "/v1/apps/game/login/last")
    }

    @Test("A player whose session has ended reads why, and is in again after a second touch")
    func endedSession() async {
        let storage = MemoryStorage()
        network.script(
            .launching(), .login(), .launching(), .sessionEnded(.kickedOut, message: "New season!"), .login())
        let first = await TitleScreen(.testing(network, storage: storage)).enter()
        let screen = TitleScreen(.testing(network, storage: storage))
        #expect(await screen.enter() == .ended("New season!"))
        #expect(await screen.enter() == first)
        #expect(network.requests.filter { $0.url.path == "/v1/apps/game/login" }.count == 2)
    }

    @Test("During a maintenance the player reads its text")
    func maintenance() async {
        network.script(.maintenance(message: "Back at noon."), .notPlayable())
        #expect(await TitleScreen(.testing(network)).enter() == .closed("Back at noon."))
    }

    @Test("A banned player reads why, and whom to ask")
    func ban() async {
        network.script(.launching(), .banned(for: .seconds(86_400), message: "Cheating.", contact: "help@game.example"))
        #expect(await TitleScreen(.testing(network)).enter() == .banned("Cheating.", contact: "help@game.example"))
    }

    @Test("A player whose answer was lost touches again, and is in")
    func lostAnswer() async {
        let screen = TitleScreen(.testing(network))
        network.script(.launching(), .lost(.login()), .launching(), .login())
        #expect(await screen.enter() == .noConnection)
        #expect(await screen.enter() == .lobby(.scripted))
    }
}
