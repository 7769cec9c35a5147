import GatehouseStorage
import GatehouseWire

/// Adding, moving and removing identities. Credentials are verified outside of the transaction; the rules decide inside.
struct MappingRoutes: Sendable {
    let accounts: AccountWriter
    let providers: IdentityProviders
    let limits: CallLimits
    let issuer: TokenIssuer
    let audit: AuditLog

    func add(_ call: Call<Credential>) async throws -> Answer<MappingChange> {
        let claims = try call.caller.requireClaims()
        guard call.body.provider != .guest else { throw Refusal(.authAddMappingCannotAddGuestIDP) }
        let identity: VerifiedIdentity
        do {
            identity = try await limits.checkingCredential(call, by: claims.key) {
                try await providers.verify(
                    call.body, on: claims.key, in: call.app, at: call.moment, database: accounts.database)
            }
        } catch let failure as IdentityFailure {
            throw failure.refusal(rejected: .authAddMappingFailed, misconfigured: .authAddMappingInvalidIDPInfo)
        }
        let decision = try await providers.using(
            identity, on: claims.key, in: call.app, at: call.moment
        ) { identity in
            guard claims.provider != .guest else {
                return try await accounts.transact(call) { (session, account, change, tx) in
                    _ = try LaunchingRules.requirePlayable(device: claims.key, call.view, in: tx)
                    return try MappingRules.addToGuest(identity, to: account, of: session, call.view, change, in: tx)
                }
            }
            return try await accounts.decide(call) { (session, account, change, tx) in
                _ = try LaunchingRules.requirePlayable(device: claims.key, call.view, in: tx)
                return try MappingRules.add(identity, to: account, of: session, call.view, change, in: tx)
            }
        }
        switch decision {
        case .mapped(let outcome):
            audit.record(
                call.entry("mapping.added", subject: subject(outcome.member.userId, identity.key.provider)))
            return try await answer(outcome, claims, call)
        case .conflict(let ticket):
            audit.record(call.entry("mapping.conflict", subject: subject(ticket.userId, ticket.provider)))
            throw Refusal(
                .authAddMappingAlreadyMappedToOtherMember,
                details: [ErrorDetail.forcingMappingTicket: try JSONValue(encoding: ticket)])
        }
    }

    func force(_ call: Call<TicketUse>) async throws -> Answer<MappingChange> {
        let claims = try call.caller.requireClaims()
        let outcome = try await accounts.transact(call) { (session, _, change, tx) in
            _ = try LaunchingRules.requirePlayable(device: claims.key, call.view, in: tx)
            return try MappingRules.force(call.body, of: session, call.view, change, in: tx)
        }
        audit.record(call.entry("mapping.moved", subject: subject(outcome.member.userId, call.body.provider)))
        return try await answer(outcome, claims, call)
    }

    func remove(_ call: Call<MappingRemoval>) async throws -> Answer<MappingChange> {
        let claims = try call.caller.requireClaims()
        let outcome = try await accounts.transact(call) { (session, account, change, tx) in
            try MappingRules.remove(call.body.provider, from: account, of: session, change, in: tx)
        }
        audit.record(call.entry("mapping.removed", subject: subject(outcome.member.userId, call.body.provider)))
        return try await answer(outcome, claims, call)
    }

    private func subject(_ user: UserID, _ provider: Provider) -> [String: String] {
        ["userId": user.rawValue, "idp": provider.rawValue]
    }

    /// An access token is replaced if its provider is no longer the session's.
    private func answer<Body>(
        _ outcome: MappingRules.Outcome, _ claims: AccessClaims, _ call: Call<Body>
    ) async throws -> Answer<MappingChange> {
        let status = try await LaunchingRules.status(
            of: call.app, device: claims.key, at: call.moment, in: accounts.database)
        var tokens: SessionTokens?
        if outcome.provider != claims.provider {
            let session = Session(
                id: claims.session, app: claims.app, user: claims.user, provider: outcome.provider, key: claims.key,
                generation: claims.generation, createdAt: claims.issuedAt, idleExpiresAt: claims.expiresAt,
                expiresAt: claims.expiresAt,
                end: nil)
            tokens = try issuer.tokens(
                for: session, refreshToken: nil, sessionExpiry: claims.expiresAt, keys: call.keys, at: call.moment)
        }
        return Answer(
            MappingChange(
                member: outcome.member, provider: outcome.provider, session: tokens,
                standing: StandingRules.standing(of: outcome.member, status: status, call.view),
                serverDate: call.moment.milliseconds))
    }
}
