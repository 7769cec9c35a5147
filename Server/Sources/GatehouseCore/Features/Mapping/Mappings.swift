import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Adds an identity to the caller's member. If it belongs to another member, the call is refused with a ticket that can resolve this.
package struct AddMapping: PlayerChange {
    let credential: Credential

    package init(credential: Credential) {
        self.credential = credential
    }

    package func perform(_ work: Work) async throws -> MappingChange {
        guard credential.provider != .guest else { throw Refusal(.authAddMappingCannotAddGuestIDP) }
        let context = work.context
        let decision: MappingRules.Decision = try await work.verifying(
            credential, rejected: .authAddMappingFailed, misconfigured: .authAddMappingInvalidIDPInfo,
            repeated: .replayed
        ) { identity in
            do {
                return try await work.decide(once: .replayed) { change, tx in
                    let (session, account) = try work.player(in: tx)
                    _ = try LaunchingRules.requirePlayable(device: session.key, context, in: tx)
                    return try MappingRules.add(
                        identity.used(change.credentialWasUsed), to: account, of: session, context, change, in: tx)
                }
            } catch is MappingRules.OtherSessionsOpen {
                return try await work.transact(once: .replayed) { change, tx in
                    let (session, account) = try work.player(in: tx)
                    _ = try LaunchingRules.requirePlayable(device: session.key, context, in: tx)
                    return try MappingRules.addToGuest(
                        identity.used(change.credentialWasUsed), to: account, of: session, context, change, in: tx)
                }
            }
        }
        switch decision {
        case .mapped(let outcome): return try await work.mappingChange(outcome)
        case .conflict(let ticket):
            throw Refusal(
                .authAddMappingAlreadyMappedToOtherMember,
                details: ErrorDetails(forcingMappingTicket: ticket))
        }
    }
}

/// Moves the identity of a ticket to the caller's member.
package struct ForceMapping: PlayerChange {
    let ticket: TicketUse

    package init(ticket: TicketUse) {
        self.ticket = ticket
    }

    package func perform(_ work: Work) async throws -> MappingChange {
        let context = work.context
        let outcome = try await work.transact(once: .replayed) { change, tx in
            let session = try work.player(in: tx).session
            _ = try LaunchingRules.requirePlayable(device: session.key, context, in: tx)
            return try MappingRules.force(ticket, of: session, context, change, in: tx)
        }
        return try await work.mappingChange(outcome)
    }
}

/// Removes an identity from the caller's member.
package struct RemoveMapping: PlayerChange {
    let removal: MappingRemoval

    package init(removal: MappingRemoval) {
        self.removal = removal
    }

    package func perform(_ work: Work) async throws -> MappingChange {
        let outcome = try await work.transact(once: .replayed) { change, tx in
            let (session, account) = try work.player(in: tx)
            return try MappingRules.remove(removal.provider, from: account, of: session, change, in: tx)
        }
        return try await work.mappingChange(outcome)
    }
}

extension Work {
    /// The answer to a change of mappings. An access token is replaced if its provider is no longer the session's.
    fileprivate func mappingChange(_ outcome: MappingRules.Outcome) async throws -> MappingChange {
        let claims = try actor.requireClaims()
        var tokens: SessionTokens?
        if outcome.provider != claims.provider {
            let sessionExpiry = outcome.sessionExpiryDate.map { Moment(milliseconds: $0) }
            tokens = try services.issuer.tokens(
                for: TokenSubject(claims, provider: outcome.provider), refreshToken: nil,
                sessionExpiry: sessionExpiry ?? claims.expiresAt, keys: context.keys, at: moment)
        }
        return MappingChange(
            member: outcome.member, provider: outcome.provider, session: tokens,
            standing: StandingRules.standing(of: outcome.member, status: try await launchingStatus(), context),
            serverDate: moment.milliseconds)
    }
}

/// Which identities belong to which member, and how they move (MAP). The constraints of `identities` decide every race.
enum MappingRules {
    /// The result of a change of mappings.
    struct Outcome: Sendable, Codable {
        let member: Member
        /// The identity provider under which the session continues.
        let provider: Provider
        /// When the session ends if it isn't used. Absent in results that an older version has stored.
        let sessionExpiryDate: Int64?

        init(_ member: Member, _ provider: Provider, _ session: Session) {
            self.member = member
            self.provider = provider
            sessionExpiryDate = session.idleExpiresAt.milliseconds
        }
    }

    enum Decision: Sendable, Codable {
        case mapped(Outcome)
        /// The identity belongs to another member; the ticket can resolve this.
        case conflict(ForcingMappingTicket)
    }

    /// A guest has other open sessions, which end with its first mapping.
    struct OtherSessionsOpen: Error {}

    /// Adds an identity to a member.
    ///
    /// - Throws: ``OtherSessionsOpen`` for a pure guest that has them. Then ``addToGuest(_:to:of:_:_:in:)`` is the way.
    static func add(
        _ identity: VerifiedIdentity, to account: Account, of session: Session, _ context: CallContext,
        _ change: Change,
        in tx: Draft
    ) throws -> Decision {
        try decide(identity, for: account, of: session, context, change, in: tx) {
            try attach(identity, to: account, of: session, change, in: tx)
        }
    }

    /// Adds an identity to a member that may be a pure guest. The guest's other sessions end, and they are read with the member's row
    /// locked, so that no concurrent login is missed.
    static func addToGuest(
        _ identity: VerifiedIdentity, to account: Account, of session: Session, _ context: CallContext,
        _ change: Change,
        in tx: Transaction
    ) throws -> Decision {
        try decide(identity, for: account, of: session, context, change, in: tx) {
            let account = account.isPureGuest ? try MemberRules.take(account, in: tx) : account
            return try attach(identity, to: account, of: session, change, in: tx, endingGuestIn: tx)
        }
    }

    private static func decide(
        _ identity: VerifiedIdentity, for account: Account, of session: Session, _ context: CallContext,
        _ change: Change,
        in tx: Draft, _ attach: () throws -> Outcome
    ) throws -> Decision {
        guard !account.has(identity.key.provider) else { throw Refusal(.authAddMappingAlreadyHasSameIDP) }
        let code = ErrorCode.authAddMappingFailed
        let isFirstUse =
            try identity.claim.map {
                try CredentialUseRules.look(
                    for: $0, wasUsed: identity.wasUsed, on: session.key, refused: code, change, in: tx)
            } ?? false
        let decision = try owned(identity, for: account, of: session, context, change, in: tx) ?? .mapped(attach())
        if isFirstUse, let claim = identity.claim {
            try CredentialUseRules.use(claim, on: session.key, refused: code, change, in: tx)
        }
        return decision
    }

    /// The ticket for an identity that belongs to another member; nil when it belongs to none.
    private static func owned(
        _ identity: VerifiedIdentity, for account: Account, of session: Session, _ context: CallContext,
        _ change: Change,
        in tx: Draft
    ) throws -> Decision? {
        guard let found = try MemberQueries.account(of: identity.key, app: account.app, in: tx) else { return nil }
        let other = try MemberRules.current(found, at: change.moment, in: tx)
        guard !other.isBanned(at: change.moment) else { throw try HoldRules.refusal(of: other, context, in: tx) }
        try change.record(.mappingConflict(identity.key.provider), of: account.user, in: tx)
        return .conflict(try TicketRules.issue(identity, of: other, to: account, session, change, in: tx))
    }

    /// Attaches an identity to a member. A guest's own identity ends with its first mapping, and its session continues under the new
    /// one (MAP-4).
    ///
    /// - Parameters:
    ///   - former: the member that had the identity before.
    ///   - locked: the transaction that has locked the member's row. Without it a pure guest must have no other open session.
    private static func attach(
        _ identity: VerifiedIdentity, to account: Account, of session: Session, from former: UserID? = nil,
        _ change: Change, in tx: Draft, endingGuestIn locked: Transaction? = nil
    ) throws -> Outcome {
        let key = identity.key
        if account.isPureGuest, locked == nil {
            guard try !SessionRules.isOpen(with: .guest, of: account, but: session, in: tx) else {
                throw OtherSessionsOpen()
            }
        }
        try MemberQueries.step(account, in: tx)
        try MemberQueries.insertIdentity(key, of: account, at: change.moment, in: tx)
        var provider = session.provider
        if account.isPureGuest {
            if let locked {
                try MemberQueries.deleteIdentity(.guest, of: account.user, app: account.app, in: tx)
                try SessionRules.endAll(openedWith: .guest, of: account, but: session, change, in: locked)
            } else {
                // A login may have opened a session in the meantime. It adds the session before it changes the member's row
                // (``LoginRules``). If it was there before the step, this statement sees the session. If not, the login finds the
                // row changed and is retried.
                try MemberQueries.deleteIdentity(
                    .guest, of: account, withoutSessionsBut: session.id, ifOpen: OtherSessionsOpen(), in: tx)
            }
            try SessionRules.moveOn(session, to: key.provider, of: account, in: tx)
            provider = key.provider
        }
        try IdentityTokenRules.keep(identity, of: account.user, session: session.id, change, in: tx)
        let endsGuest = account.isPureGuest
        let event: AccountEvent =
            if let former { .mappingMovedHere(key.provider, from: former, endsGuest: endsGuest) } else {
                .mappingAdded(key.provider, endsGuest: endsGuest)
            }
        try change.record(event, of: account.user, in: tx)
        var member = try MemberRules.member(account, in: tx)
        member.mappings.removeAll { $0.provider == .guest }
        member.mappings.append(
            Mapping(provider: key.provider, subject: key.subject, registrationDate: change.moment.milliseconds))
        return Outcome(member, provider, session)
    }

    /// Moves the ticket's identity here from the other member, in one transaction (MAP-6). The other member keeps its other identities;
    /// if none is left, it is frozen.
    static func force(
        _ use: TicketUse, of session: Session, _ context: CallContext, _ change: Change, in tx: Transaction
    ) throws -> Outcome {
        let ticket = try TicketRules.spend(use, of: session, change, in: tx)
        let (account, other) = try MemberRules.take(
            session.user, and: ticket.mappedUser, app: session.app, at: change.moment, in: tx)
        let key = ticket.identity.key
        guard !account.has(key.provider) else { throw Refusal(.authAddMappingAlreadyHasSameIDP) }
        guard !other.isBanned(at: change.moment) else { throw try HoldRules.refusal(of: other, context, in: tx) }
        try TicketRules.requireHolder(of: ticket, app: account.app, in: tx)
        try detach(key, from: other, to: account.user, change, in: tx)
        try LifeRules.rememberGuest(of: account, change, in: tx)
        return try attach(
            ticket.identity, to: account, of: session, from: other.user, change, in: tx, endingGuestIn: tx)
    }

    static func detach(
        _ key: IdentityKey, from other: Account, to user: UserID, _ change: Change, in tx: Transaction
    ) throws {
        try LifeRules.moveAway(key, from: other, to: user, change, in: tx)
        guard other.mappings.count > 1 else {
            return try LifeRules.freeze(other, without: key, reason: .identityRemoved, change, in: tx)
        }
        try MemberQueries.step(other, in: tx)
    }

    static func remove(
        _ provider: Provider, from account: Account, of session: Session, _ change: Change, in tx: Transaction
    ) throws -> Outcome {
        try requireRemovable(provider, of: account)
        guard session.provider != provider else { throw Refusal(.authRemoveMappingLoggedInIDP) }
        let account = try MemberRules.take(account, in: tx)
        try IdentityTokenRules.revoke(provider, of: account.user, at: .removal, change, in: tx)
        try MemberRules.removeIdentity(provider, of: account, change, in: tx)
        try change.record(.mappingRemoved(provider), of: account.user, in: tx)
        var member = try MemberRules.member(account, in: tx)
        member.mappings.removeAll { $0.provider == provider }
        return Outcome(member, session.provider, session)
    }

    static func deleteTickets(about user: UserID, app: AppID, in tx: Draft) throws {
        try TicketQueries.deleteAll(about: user, app: app, in: tx)
    }
}
