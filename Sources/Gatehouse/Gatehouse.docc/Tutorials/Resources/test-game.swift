import Gatehouse

/// The game's own code, which the tests are about.
struct Entrance {
    let gatehouse: GatehouseClient

    /// What the title screen shows after the player has touched it.
    func enter() async -> String {
        do throws(AuthError) {
            try await gatehouse.start()
            let member = try await logIn().member
            return "Welcome, \(member.userId)"
        } catch {
            if error.isNetworkError { return "No connection. Try again?" }
            return error.standing?.message ?? error.ban?.message ?? unexpected(error)
        }
    }

    /// Support finds the call by the id.
    private func unexpected(_ error: AuthError) -> String {
        let id = error.transactionID?.rawValue ?? "-"
        return "It did not work (\(error.code.rawValue), id \(id))."
    }

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
