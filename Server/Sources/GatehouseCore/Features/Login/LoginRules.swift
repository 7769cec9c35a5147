import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Who may log in, and as which member (LOGIN-1, LOGIN-4, LOGIN-10, LOGIN-11). Everything that needs the network was verified before.
enum LoginRules {
    /// The result of a login.
    struct Outcome: Sendable, Codable {
        var member: Member
        var provider: Provider
        var status: LaunchingStatus
        let sessionID: SessionID
        let sessionCreatedAt: Int64
        /// Absent in results that an older version has stored.
        var generation: Int64?
        var sessionExpiryDate: Int64
        let isNewMember: Bool
        /// Present only for a new session.
        let refreshToken: RefreshToken?
        /// Whether this is the stored result of an earlier call.
        var isRepeated = false

        private enum CodingKeys: String, CodingKey {
            case member, provider, status, sessionID, sessionCreatedAt, generation, sessionExpiryDate, isNewMember
            case refreshToken
        }
    }

    /// The result of a repeated call: the member and the session of the first call as they are now, if the session still exists. A
    /// member that was banned, kicked out or transferred since then is refused.
    ///
    /// - Parameter code: the code of the call for a session that has ended.
    static func repeated(
        _ outcome: Outcome, code: ErrorCode, on device: LoginDevice, in tx: Reader
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
        _ identity: VerifiedIdentity, on device: LoginDevice, _ change: Change, in tx: Draft
    ) throws -> Outcome {
        let status = try LaunchingRules.requirePlayable(device: device.key, device.view, in: tx)
        let code = ErrorCode.authIDPLoginFailed
        let isFirstUse =
            try identity.claim.map {
                try CredentialUseRules.look(
                    for: $0, wasUsed: identity.wasUsed, on: device.key, refused: code, change, in: tx)
            } ?? false
        let (found, isNew) = try MemberRules.logIn(identity.key, change, in: tx)
        let account = try MemberRules.back(found, with: identity.key.provider, in: tx)
        let outcome = try open(
            account, identity.key.provider, status: status, isNew: isNew, on: device, change, in: tx)
        try IdentityTokenRules.keep(identity, of: account.user, session: outcome.sessionID, change, in: tx)
        if isFirstUse, let claim = identity.claim {
            try CredentialUseRules.use(claim, on: device.key, refused: code, change, in: tx)
        }
        return outcome
    }

    /// Opens a session for a member, unless it is banned.
    static func open(
        _ account: Account, _ provider: Provider, status: LaunchingStatus, isNew: Bool, on device: LoginDevice,
        replacing replaced: SessionID? = nil, _ change: Change, in tx: Draft
    ) throws -> Outcome {
        guard !account.isBanned(at: change.moment) else {
            throw try HoldRules.refusal(of: account, device.view, in: tx)
        }
        // A new member has no other session.
        if !isNew { try SessionRules.makeRoom(for: account, change, in: tx) }
        // The session is added before the member's row is changed: a mapping relies on this order (``MappingRules``).
        let (session, refreshToken) = try SessionRules.open(
            account, provider, on: device, replacing: replaced, change, in: tx)
        let returned = isNew ? account : try MemberRules.returning(account, change, in: tx)
        let event: AccountEvent = isNew ? .memberCreated(provider, session.id) : .loggedIn(provider, session.id)
        try change.record(event, of: account.user, in: tx)
        return Outcome(
            member: try MemberRules.member(returned, in: tx), provider: provider, status: status, sessionID: session.id,
            sessionCreatedAt: session.createdAt.milliseconds, generation: session.generation,
            sessionExpiryDate: session.idleExpiresAt.milliseconds, isNewMember: isNew, refreshToken: refreshToken)
    }

    /// Continues the session of a refresh token, without an identity provider and without a page (LOGIN-8).
    static func logInWithLastProvider(
        _ token: RefreshToken, on device: LoginDevice, _ change: Change, in tx: Draft
    ) throws -> Outcome {
        let (session, stored) = try SessionRules.session(
            of: token, key: device.key, code: .authTokenLoginInvalidTokenInfo, device.view, in: tx)
        let status = try LaunchingRules.requirePlayable(device: device.key, device.view, in: tx)
        // A withdrawal whose grace period has passed is carried out first.
        let account = try MemberRules.current(stored, at: change.moment, in: tx)
        let deadline = try SessionRules.extend(
            session, lifetimes: device.lifetimes, resumes: true, protection: device.keyProtection, change, in: tx)
        let returned = try MemberRules.returning(account, change, in: tx)
        try change.record(.loggedIn(session.provider, session.id), of: account.user, in: tx)
        return Outcome(
            member: try MemberRules.member(returned, in: tx), provider: session.provider, status: status,
            sessionID: session.id, sessionCreatedAt: session.createdAt.milliseconds, generation: session.generation,
            sessionExpiryDate: deadline.milliseconds, isNewMember: false, refreshToken: nil)
    }

    /// Logs in as the ticket's other member, with the ticket's identity, and replaces the session that received the ticket (MAP-7). The
    /// old session ends only when the new one is used, so that a device that has lost the response keeps its session (LOGIN-13).
    static func changeLogin(
        _ use: TicketUse, of session: Session, on device: LoginDevice, _ change: Change, in tx: Transaction
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
