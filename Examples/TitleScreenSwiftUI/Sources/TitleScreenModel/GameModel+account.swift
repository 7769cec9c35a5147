import Gatehouse

extension GameModel {
    /// Links a provider to the account, or asks the player where its identity belongs.
    public func link(_ provider: Provider) async {
        await perform { [self] () async throws(AuthError) in
            do throws(AuthError) {
                try await gatehouse.addMapping(provider, presenting: presentationAnchor())
            } catch {
                guard let ticket = error.forcingMappingTicket else { throw error }
                conflict = Conflict(ticket)
            }
        }
    }

    public func unlink(_ provider: Provider) async {
        await perform { [self] () async throws(AuthError) in try await gatehouse.removeMapping(provider) }
    }

    /// What the player decides about an identity that belongs to another account.
    public enum ConflictChoice: CaseIterable, Sendable {
        /// The identity moves to this account.
        case moveHere
        /// The player goes on as the other account.
        case playOther
    }

    public func resolve(_ conflict: Conflict, _ choice: ConflictChoice) async {
        self.conflict = nil
        await perform { [self] () async throws(AuthError) in
            switch choice {
            case .moveHere: try await gatehouse.addMapping(forcing: conflict.ticket)
            case .playOther: try await gatehouse.changeLogin(with: conflict.ticket)
            }
        }
    }

    /// Whether the player is making that choice. False leaves everything as it is.
    public var isAskingAboutConflict: Bool {
        get { conflict != nil }
        set { if !newValue { conflict = nil } }
    }

    /// Shows the id and the password that the player types on the new phone. Those that were shown before no longer work.
    public func showTransfer() async {
        await perform { [self] () async throws(AuthError) in
            transfer = TransferCode(try await gatehouse.issueTransferAccount())
        }
    }

    /// Whether they are shown. False hides them.
    public var isShowingTransfer: Bool {
        get { transfer != nil }
        set { if !newValue { transfer = nil } }
    }

    /// Begins the grace period, in which the player can still keep the account.
    public func deleteAccount() async {
        await perform { [self] () async throws(AuthError) in try await gatehouse.requestWithdrawal() }
    }

    public func keepAccount() async {
        await perform { [self] () async throws(AuthError) in try await gatehouse.cancelWithdrawal() }
    }

    /// Deletes the account without waiting for the end of the grace period.
    public func deleteNow() async {
        await perform { [self] () async throws(AuthError) in try await gatehouse.withdraw() }
    }

    public func logOut() async {
        await perform { [self] () async throws(AuthError) in try await gatehouse.logOut() }
    }
}
