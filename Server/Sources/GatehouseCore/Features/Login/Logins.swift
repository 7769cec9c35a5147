import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Logs a device in with a credential: as a guest, or with what an identity provider has issued. The first login of an identity creates
/// its member.
package struct LogIn: PlayerChange {
    let credential: Credential

    package init(credential: Credential) {
        self.credential = credential
    }

    package func perform(_ work: Work) async throws -> Login {
        do {
            return try await login(work)
        } catch {
            work.services.reporter.countRefusedLogin(credential.provider)
            work.countRefusedLogin(credential.provider, error)
            throw error
        }
    }

    private func login(_ work: Work) async throws -> Login {
        guard credential.provider != .guest else { return try await guestLogin(work) }
        let device = try work.device()
        let outcome = try await work.verifying(
            credential, rejected: .authIDPLoginFailed, misconfigured: .authIDPLoginInvalidIDPInfo,
            repeated: Self.repeated(on: device)
        ) { identity in
            try await self.outcome(of: identity, work)
        }
        return try work.login(outcome)
    }

    private func guestLogin(_ work: Work) async throws -> Login {
        let identity = VerifiedIdentity(key: .guest(try work.actor.requireKey()))
        let app = work.app.id
        let outcome = try await work.reserving(.newGuests) {
            try await work.read { tx in try MemberRules.isKnown(identity.key, app: app, in: tx) }
        } _: {
            let outcome = try await self.outcome(of: identity, work)
            return (outcome, outcome.isNewMember && !outcome.isRepeated)
        }
        return try work.login(outcome)
    }

    private func outcome(of identity: VerifiedIdentity, _ work: Work) async throws -> LoginRules.Outcome {
        let device = try work.device()
        // A used code may mean a repeated call, so the first call's response is looked for first.
        let once = Self.repeated(on: device, isOftenFirst: credential.loginCode == nil)
        return try await work.decide(once: once) { change, tx in
            try LoginRules.logIn(identity.used(change.credentialWasUsed), on: device, change, in: tx)
        }
    }

    private static func repeated(
        on device: LoginDevice, isOftenFirst: Bool = false
    ) -> Once<LoginRules.Outcome, Draft> {
        .answered(isOftenFirst: isOftenFirst) { outcome, tx in
            try LoginRules.repeated(outcome, code: .authIDPLoginFailed, on: device, in: tx)
        }
    }
}

/// Continues the session of a refresh token, without an identity provider and without a page (LOGIN-8).
package struct LogInWithLastProvider: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> Login {
        let (token, _) = try work.actor.requireRefreshToken()
        let device = try work.device()
        do {
            return try work.login(
                try await work.decide { change, tx in
                    try LoginRules.logInWithLastProvider(token, on: device, change, in: tx)
                })
        } catch {
            work.countRefusedLogin(nil, error)
            throw error
        }
    }
}

/// Logs in as the other member of a ticket, instead of the caller's own (MAP-7).
package struct ChangeLogin: PlayerChange {
    let ticket: TicketUse

    package init(ticket: TicketUse) {
        self.ticket = ticket
    }

    package func perform(_ work: Work) async throws -> Login {
        let device = try work.device()
        // A repeated call has ended its own session, so the session that it opened is checked instead.
        let once = Once<LoginRules.Outcome, Transaction>.answered { outcome, tx in
            try LoginRules.repeated(outcome, code: .authInvalidGatehouseToken, on: device, in: tx)
        }
        let outcome = try await work.transact(once: once) { change, tx in
            try LoginRules.changeLogin(ticket, of: work.player(in: tx).session, on: device, change, in: tx)
        }
        if !outcome.isRepeated {
            work.services.reporter.tally.count(.loginChanged, outcome.provider, of: work.app.id, at: work.moment)
        }
        return try work.login(outcome)
    }
}

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
        outcome.status = try LaunchingRules.requirePlayable(device: device.key, device.context, in: tx)
        let (session, account) = try SessionRules.session(
            outcome.sessionID, of: outcome.member.userId, key: device.key, code: code, device.context, in: tx)
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
        let status = try LaunchingRules.requirePlayable(device: device.key, device.context, in: tx)
        let code = ErrorCode.authIDPLoginFailed
        let isFirstUse =
            try identity.claim.map {
                try CredentialUseRules.look(
                    for: $0, wasUsed: identity.wasUsed, on: device.key, refused: code, change, in: tx)
            } ?? false
        let (found, isNew) = try MemberRules.logIn(identity.key, change, in: tx)
        let account = try MemberRules.clearRevocation(found, with: identity.key.provider, in: tx)
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
            throw try HoldRules.refusal(of: account, device.context, in: tx)
        }
        // A new member has no other session.
        if !isNew { try SessionRules.makeRoom(for: account, change, in: tx) }
        // The session is added before the member's row is changed: a mapping relies on this order (``MappingRules``).
        let (session, refreshToken) = try SessionRules.open(
            account, provider, on: device, replacing: replaced, change, in: tx)
        let returned = isNew ? account : try MemberRules.recordLogin(account, change, in: tx)
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
            of: token, key: device.key, code: .authTokenLoginInvalidTokenInfo, device.context, in: tx)
        let status = try LaunchingRules.requirePlayable(device: device.key, device.context, in: tx)
        // A withdrawal whose grace period has passed is carried out first.
        let account = try MemberRules.current(stored, at: change.moment, in: tx)
        let deadline = try SessionRules.extend(
            session, lifetimes: device.lifetimes, resumes: true, protection: device.keyProtection, change, in: tx)
        let returned = try MemberRules.recordLogin(account, change, in: tx)
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
        let status = try LaunchingRules.requirePlayable(device: device.key, device.context, in: tx)
        let ticket = try TicketRules.spend(use, of: session, change, in: tx)
        let other = try MemberRules.take(ticket.mappedUser, app: session.app, at: change.moment, in: tx)
        try TicketRules.requireHolder(of: ticket, app: session.app, in: tx)
        let returned = try MemberRules.clearRevocation(other, with: ticket.identity.key.provider, in: tx)
        let outcome = try open(
            returned, ticket.identity.key.provider, status: status, isNew: false, on: device, replacing: session.id,
            change, in: tx)
        try IdentityTokenRules.keep(ticket.identity, of: other.user, session: outcome.sessionID, change, in: tx)
        return outcome
    }
}

extension LoginRules.Outcome: JSONWritable {
    func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("member", member)
            text.member("provider", provider.rawValue)
            text.member("status", Int64(status.rawValue))
            text.member("sessionID", sessionID.rawValue)
            text.member("sessionCreatedAt", sessionCreatedAt)
            text.member("generation", generation)
            text.member("sessionExpiryDate", sessionExpiryDate)
            text.member("isNewMember", isNewMember)
            text.member("refreshToken", refreshToken?.secretValue)
        }
    }
}

extension Work {
    /// The device that logs in.
    func device() throws -> LoginDevice {
        LoginDevice(
            key: try actor.requireKey(), context: context, lifetimes: services.issuer.lifetimes, client: context.client,
            keyProtection: try context.keyProtection())
    }

    /// The common end of every login: tokens and standing.
    func login(_ outcome: LoginRules.Outcome) throws -> Login {
        let key = try actor.requireKey()
        return Login(
            member: outcome.member, provider: outcome.provider,
            session: try services.issuer.tokens(
                for: TokenSubject(outcome, app: app.id, key: key), refreshToken: outcome.refreshToken,
                sessionExpiry: Moment(milliseconds: outcome.sessionExpiryDate), keys: context.keys, at: moment),
            standing: StandingRules.standing(of: outcome.member, status: outcome.status, context),
            serverDate: moment.milliseconds)
    }
}

extension TokenSubject {
    fileprivate init(_ outcome: LoginRules.Outcome, app: AppID, key: KeyThumbprint) {
        self.init(
            app: app, user: outcome.member.userId, session: outcome.sessionID, provider: outcome.provider, key: key,
            generation: outcome.generation ?? 0, createdAt: Moment(milliseconds: outcome.sessionCreatedAt))
    }
}
