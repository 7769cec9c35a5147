import Gatehouse

extension GameModel {
    /// The game has started: asks whether it is in service, and what the title screen may offer.
    public func start() async {
        await perform { [self] () async throws(AuthError) in try await begin() }
    }

    /// The player has touched the title screen: the last player of this device comes back, and a new one begins as a guest.
    public func touch() async {
        await perform { [self] () async throws(AuthError) in
            guard try await isReady() else { return }
            do throws(AuthError) {
                try await gatehouse.logInWithLastProvider()
            } catch {
                switch error.code {
                case .authTokenLoginInvalidLastLoggedInIDP: try await gatehouse.logIn(with: .guest)
                case .authTokenLoginInvalidTokenInfo: try await comeBack(after: error)
                default: throw error
                }
            }
        }
    }

    /// The player has chosen a provider.
    public func logIn(with provider: Provider) async {
        await perform { [self] () async throws(AuthError) in
            guard try await isReady() else { return }
            try await gatehouse.logIn(with: provider, presenting: presentationAnchor())
        }
    }

    /// The player has typed what the old phone shows.
    public func moveHere(id: String, password: String) async {
        await perform { [self] () async throws(AuthError) in
            guard try await isReady() else { return }
            try await gatehouse.redeemTransferAccount(id: id, password: TransferPassword(password))
        }
    }

    private func begin() async throws(AuthError) {
        let launching = try await gatehouse.start()
        let registered = gatehouse.configuration.adapters.map(\.provider)
        providers = registered.filter { launching.providers.keys.contains($0) }
        isOpen = launching.isPlayable
        notice = Notice(launching)
    }

    /// Asks again before a login when the game was closed, or could not be asked.
    private func isReady() async throws(AuthError) -> Bool {
        if !isOpen { try await begin() }
        return isOpen
    }

    /// The stored session has ended. Its provider knows the player still. A guest would possibly begin as somebody new, so the player
    /// reads why and decides.
    private func comeBack(after end: AuthError) async throws(AuthError) {
        if let provider = gatehouse.lastProvider, providers.contains(provider) {
            try await gatehouse.logIn(with: provider, presenting: presentationAnchor())
        } else {
            offer { [self] () async throws(AuthError) in try await gatehouse.logIn(with: .guest) }
            throw end
        }
    }
}
