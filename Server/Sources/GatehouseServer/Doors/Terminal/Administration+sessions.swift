import GatehouseCore
public import GatehouseServerWire
public import GatehouseWire

extension Administration {
    /// The sessions of a member that go on, newest first, up to a hundred.
    ///
    /// - Parameter last: ``GatehouseServerWire/MemberSessions/next`` of the previous list; nil for the newest sessions.
    /// - Throws: 3003 if there is no such member.
    public func sessions(
        of user: UserID, after last: SessionID? = nil, of app: AppID
    ) async throws -> MemberSessions {
        try await run(ListMemberSessions(request: MemberSessionsRequest(userId: user, after: last)), on: app)
    }

    /// Ends one session of a member.
    ///
    /// - Throws: 3 for a session that is not the member's or has ended; 3003 if there is no such member.
    public func endSession(_ id: SessionID, of user: UserID, reason: String, of app: AppID) async throws {
        _ = try await run(EndMemberSession(session: id, of: user), on: app, reason: reason)
    }

    /// Ends all sessions of a member, as a kick-out without a message does.
    ///
    /// - Throws: 3003 if there is no such member.
    public func endSessions(of user: UserID, reason: String, of app: AppID) async throws {
        _ = try await run(KickOut(user: user, message: [:]), on: app, reason: reason)
    }
}
