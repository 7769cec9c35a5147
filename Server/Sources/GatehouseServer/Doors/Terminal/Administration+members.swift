public import GatehouseCore
public import GatehouseWire

extension Administration {
    public func member(_ user: UserID, of app: AppID) async throws -> MemberReport {
        try await run(ReadMemberReport(user: user), on: app)
    }

    /// Whether a member can log in, and what stops it, as the console explains it.
    package func explainLogin(of user: UserID, app: AppID) async throws -> ExplainLogin.Outcome {
        try await run(ExplainLogin(user: user), on: app)
    }

    /// Members in the order of their registration.
    ///
    /// - Parameter after: the last member of the previous page.
    public func members(
        of app: AppID, status: MemberStatus? = nil, after: UserID? = nil, limit: Int = 50
    ) async throws -> [Member] {
        try await run(ListMembers(status: status, after: after, limit: limit), on: app)
    }

    /// Members by whatever an operator holds, as the console's box finds them.
    public func findMembers(_ text: String, of app: AppID) async throws -> [Member] {
        var members: [Member] = []
        for found in try await run(FindPlayer(text: text), on: app)
        where !members.contains(where: { $0.userId == found.user }) {
            members.append(try await member(found.user, of: app).member)
        }
        return members
    }

    public func history(of user: UserID, app: AppID) async throws -> [LedgerEntry] {
        try await run(ReadHistory(user: user), on: app)
    }

    /// Everything that is stored about a member, but for credentials and for what is about other people.
    public func export(_ user: UserID, of app: AppID) async throws -> MemberExport {
        try await run(ExportMember(user: user), on: app)
    }

    /// Restores a missing member with one of its former identities. Unless a provider is named, that is the last one.
    public func restore(
        _ user: UserID, with provider: Provider?, reason: String, of app: AppID
    ) async throws -> Restoration {
        try await run(RestoreMember(user: user, provider: provider), on: app, reason: reason)
    }

    public func withdraw(_ user: UserID, reason: String, of app: AppID) async throws {
        try await run(WithdrawMember(user: user), on: app, reason: reason)
    }

    /// A member's transfer account; nil if it has none.
    public func transferAccount(of user: UserID, of app: AppID) async throws -> TransferReport? {
        try await run(ReadTransferReport(user: user), on: app)
    }

    /// Resets the failed attempts of a transfer account. A block of the device that has tried ends by itself.
    ///
    /// - Returns: false when no attempt had failed.
    /// - Throws: 3046 if there is no transfer account.
    public func unblockTransfer(of user: UserID, reason: String, of app: AppID) async throws -> Bool {
        try await run(UnblockTransferAccount(user: user), on: app, reason: reason)
    }

    /// Issues a guest's transfer account, replacing an existing one. This is for a player who has lost the pair, or lost the device
    /// before a pair was issued. The old pair becomes invalid at once.
    ///
    /// - Parameter target: what is renewed. A new password alone requires an existing pair.
    /// - Returns: the pair. Its password is returned only here.
    /// - Throws: 9 unless guest is the member's only identity; 3045 while the app has no transfer policy; 3046; 3003.
    public func reissueTransfer(
        _ target: TransferRenewal.Target, of user: UserID, reason: String, of app: AppID
    ) async throws -> TransferAccount {
        try await run(ReissueTransferAccount(target: target, user: user), on: app, reason: reason)
    }
}
