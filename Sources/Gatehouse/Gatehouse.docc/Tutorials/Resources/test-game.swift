import Gatehouse

/// The game's own code, which the tests are about.
struct Entrance {
    let gatehouse: GatehouseClient

    /// What the title screen shows after the player has touched it.
    func enter() async -> String {
        do throws(AuthError) {
            let member = try await logIn().member
            return "Welcome, \(member.userId)"
        } catch {
            if error.isNetworkError { return "No connection. Try again?" }
            if error.code == .authTokenLoginInvalidTokenInfo {
                return error.details.message ?? "You have been logged out."
            }
            return error.standing?.message ?? error.ban?.message ?? unexpected(error)
        }
    }

    /// Support finds the call by the id.
    private func unexpected(_ error: AuthError) -> String {
        let id = error.transactionID?.rawValue ?? "-"
        return "It did not work (\(error.code.rawValue), id \(id))."
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
