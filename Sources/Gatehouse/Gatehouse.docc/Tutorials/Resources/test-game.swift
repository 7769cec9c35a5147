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
            return error.standing?.message ?? error.ban?.message
                ?? "It did not work (\(error.code.rawValue))."
        }
    }

    private func logIn() async throws(AuthError) -> Login {
        do {
            return try await gatehouse.logInWithLastProvider()
        } catch {
            guard error.code == .authTokenLoginInvalidLastLoggedInIDP else {
                throw error
            }
            return try await gatehouse.logIn(with: .guest)
        }
    }
}
