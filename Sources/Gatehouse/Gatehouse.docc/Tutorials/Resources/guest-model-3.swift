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
            try await gatehouse.start()
            player = try await logIn().member.userId
        } catch {
            player = nil
        }
    }

    /// The player of the last time, or a new guest on a device without one.
    private func logIn() async throws(AuthError) -> Login {
        do {
            return try await gatehouse.logInWithLastProvider()
        } catch {
            // Nobody has played on this device (3103), or the session has ended (3102).
            guard [.authTokenLoginInvalidLastLoggedInIDP, .authTokenLoginInvalidTokenInfo].contains(error.code) else {
                throw error
            }
            return try await gatehouse.logIn(with: gatehouse.lastProvider ?? .guest)
        }
    }
}
