import Foundation
import Gatehouse
import Observation

@MainActor @Observable
final class GameModel {
    private(set) var player: UserID?
    private let gatehouse: GatehouseClient

    init(serverURL: URL) {
        gatehouse = GatehouseClient(.init(appID: "devgame", serverURL: serverURL))
    }

    func play() async {
        do {
            player = try await logIn().member.userId
        } catch {
            player = nil
        }
    }

    /// The player of the last time, or a new guest on a device without one.
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
