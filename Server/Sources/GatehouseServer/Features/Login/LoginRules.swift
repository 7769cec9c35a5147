import GatehouseStorage
import GatehouseWire

/// Who gets in, as whom (LOGIN-1, LOGIN-4, LOGIN-10, LOGIN-11). Everything that needs the network was verified before.
enum LoginRules {
    /// Where a login comes from.
    struct Device: Sendable {
        /// The device's key, which the session will be bound to.
        let key: KeyThumbprint
        let view: Viewpoint
        let lifetimes: SessionLifetimes
        /// What it says of itself.
        var client: ClientInformation?
    }

    /// What a login has brought about.
    struct Outcome: Sendable, Codable {
        var member: Member
        var provider: Provider
        var status: LaunchingStatus
        let sessionID: SessionID
        let sessionCreatedAt: Int64
        /// Absent in the outcomes that an older version has kept.
        var generation: Int64?
        var sessionExpiryDate: Int64
        let isNewMember: Bool
        /// Only of a new session.
        let refreshToken: RefreshToken?
        /// Whether the call was done before, and this is told once more.
        var isRepeated = false

        private enum CodingKeys: String, CodingKey {
            case member, provider, status, sessionID, sessionCreatedAt, generation, sessionExpiryDate, isNewMember
            case refreshToken
        }
    }

    /// What a repeated call is told of the login that the first one was: as the member and the session are now, and only while
    /// they are. Whoever was banned, kicked out or transferred since is refused.
    ///
    /// - Parameter code: the code of the call for a session that is over.
    static func repeated(
        _ outcome: Outcome, code: ErrorCode, on device: Device, in tx: Transaction
    ) throws -> Outcome {
        var outcome = outcome
        outcome.status = try LaunchingRules.requirePlayable(device: device.key, device.view, in: tx)
        let (session, account) = try SessionRules.session(
            outcome.sessionID, of: outcome.member.userId, key: device.key, code: code, device.view, in: tx)
        outcome.member = try MemberRules.member(account, in: tx)
        outcome.provider = session.provider
        outcome.generation = session.generation
        outcome.sessionExpiryDate = session.idleExpiresAt.milliseconds
        outcome.isRepeated = true
        return outcome
    }

    static func logIn(
        _ identity: VerifiedIdentity, on device: Device, _ change: Change, in tx: Transaction
    ) throws -> Outcome {
        let status = try LaunchingRules.requirePlayable(device: device.key, device.view, in: tx)
        let code = ErrorCode.authIDPLoginFailed
        let isFirstUse = try CredentialUseRules.look(for: identity, on: device.key, refused: code, change, in: tx)
        let (found, isNew) = try MemberRules.logIn(identity.key, change, in: tx)
        let account = try MemberRules.back(found, with: identity.key.provider, in: tx)
        let outcome = try open(
            account, identity.key.provider, status: status, isNew: isNew, on: device, change, in: tx)
        try IdentityTokenRules.keep(identity, of: account.user, session: outcome.sessionID, change, in: tx)
        if isFirstUse { try CredentialUseRules.use(identity, on: device.key, refused: code, change, in: tx) }
        return outcome
    }

    /// Opens a session for a member, unless it is banned.
    static func open(
        _ account: Account, _ provider: Provider, status: LaunchingStatus, isNew: Bool, on device: Device,
        replacing replaced: SessionID? = nil, _ change: Change, in tx: Transaction
    ) throws -> Outcome {
        guard !account.isBanned(at: change.moment) else {
            throw try BanRules.refusal(of: account, device.view, in: tx)
        }
        // A new member has no other session.
        if !isNew { try SessionRules.makeRoom(for: account, change, in: tx) }
        let returned = isNew ? account : try MemberRules.returning(account, at: change.moment, in: tx)
        let (session, refreshToken) = try SessionRules.open(
            account, provider, on: device, replacing: replaced, change, in: tx)
        return Outcome(
            member: try MemberRules.member(returned, in: tx), provider: provider, status: status, sessionID: session.id,
            sessionCreatedAt: session.createdAt.milliseconds, generation: session.generation,
            sessionExpiryDate: session.idleExpiresAt.milliseconds, isNewMember: isNew, refreshToken: refreshToken)
    }

    /// Continues the session of a refresh token: no identity provider, no page (LOGIN-8).
    static func logInWithLastProvider(
        _ token: RefreshToken, on device: Device, _ change: Change, in tx: Transaction
    ) throws -> Outcome {
        let (session, stored) = try SessionRules.session(
            of: token, key: device.key, code: .authTokenLoginInvalidTokenInfo, device.view, in: tx)
        let status = try LaunchingRules.requirePlayable(device: device.key, device.view, in: tx)
        // A grace period that has passed is carried out before anything else.
        let account = try MemberRules.current(stored, at: change.moment, in: tx)
        let deadline = try SessionRules.extend(
            session, lifetimes: device.lifetimes, resumes: true, change, in: tx)
        let returned = try MemberRules.returning(account, at: change.moment, in: tx)
        return Outcome(
            member: try MemberRules.member(returned, in: tx), provider: session.provider, status: status,
            sessionID: session.id, sessionCreatedAt: session.createdAt.milliseconds, generation: session.generation,
            sessionExpiryDate: deadline.milliseconds, isNewMember: false, refreshToken: nil)
    }

    /// Logs in as the ticket's other member, with the ticket's identity, in place of the session that got the ticket (MAP-7). That
    /// one ends when the new one is used: a device that has lost the answer keeps what it has (LOGIN-13).
    static func changeLogin(
        _ use: TicketUse, of session: Session, on device: Device, _ change: Change, in tx: Transaction
    ) throws -> Outcome {
        let status = try LaunchingRules.requirePlayable(device: device.key, device.view, in: tx)
        let ticket = try TicketRules.spend(use, of: session, change, in: tx)
        let other = try MemberRules.take(ticket.mappedUser, app: session.app, at: change.moment, in: tx)
        try TicketRules.requireHolder(of: ticket, app: session.app, in: tx)
        let returned = try MemberRules.back(other, with: ticket.identity.key.provider, in: tx)
        let outcome = try open(
            returned, ticket.identity.key.provider, status: status, isNew: false, on: device, replacing: session.id,
            change, in: tx)
        try IdentityTokenRules.keep(ticket.identity, of: other.user, session: outcome.sessionID, change, in: tx)
        return outcome
    }
}
