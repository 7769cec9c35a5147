import GatehouseStorage
import GatehouseWire

/// Logins: verify outside, decide inside.
struct LoginRoutes: Sendable {
    let database: Database
    let lifetimes: SessionLifetimes
    let random: RandomSource
    let idempotency: Idempotency
    let limiter: RateLimiter
    let audit: AuditLog
    let metrics: ServerMetrics

    func logIn(_ call: Call<LoginRequest>) async throws -> Answer<Login> {
        do {
            return try await decide(call)
        } catch {
            metrics.login(call.body.provider, .refused)
            throw error
        }
    }

    private func decide(_ call: Call<LoginRequest>) async throws -> Answer<Login> {
        let proof = try call.caller.requireProof()
        let identity = try identity(of: call.body, proof: proof)
        try await admit(identity, call)
        let input = LoginRules.Input(
            app: call.app, identity: identity, key: proof.key, languages: call.languages, lifetimes: lifetimes)
        let outcome = try await database.write { tx in
            let outcome = try idempotency.perform(call.repeatable, by: proof.key, at: call.moment, in: tx) {
                try LoginRules.logIn(input, at: call.moment, random: random, in: tx)
            }
            try spendProof(proof, code: .authIDPLoginFailed, at: call.moment, in: tx)
            return outcome
        }
        if outcome.isNewMember, identity.provider == .guest {
            limiter.take(.newGuests(call.app, call.address), limit: call.app.limits.newGuestsPerMinute)
        }
        metrics.login(identity.provider, outcome.isNewMember ? .new : .returning)
        audit.record(call.entry(outcome.isNewMember ? "member.created" : "member.logged-in", subject: outcome.subject))
        return try answer(outcome, key: proof.key, call)
    }

    func logInWithLastProvider(_ call: Call<Empty>) async throws -> Answer<Login> {
        let (token, proof) = try call.caller.requireRefreshToken()
        let outcome = try await database.write { tx in
            let outcome = try LoginRules.logInWithLastProvider(
                token, key: proof.key, app: call.app, languages: call.languages, lifetimes: lifetimes, at: call.moment,
                in: tx)
            try spendProof(proof, code: .authTokenLoginFailed, at: call.moment, in: tx)
            return outcome
        }
        metrics.login(outcome.provider, .returning)
        audit.record(call.entry("member.logged-in", subject: outcome.subject))
        return try answer(outcome, key: proof.key, call)
    }

    private func identity(of request: LoginRequest, proof: Proof) throws -> VerifiedIdentity {
        guard request.provider == .guest else {
            throw Refusal(
                .authIDPLoginInvalidIDPInfo, details: [ErrorDetail.parameter: "provider"])
        }
        return .guest(proof.key)
    }

    /// Lets new guests of one address in at the app's rate. Returning guests pass always: a flood of new ones from behind
    /// a carrier's address must not lock out the players who are there.
    private func admit(_ identity: VerifiedIdentity, _ call: Call<LoginRequest>) async throws {
        let kind = RateLimiter.Kind.newGuests(call.app, call.address)
        guard let wait = limiter.wait(kind, limit: call.app.limits.newGuestsPerMinute) else { return }
        let isKnown = try await database.read { tx in try MemberRules.isKnown(identity, app: call.app.id, in: tx) }
        guard isKnown else { throw Refusal.tooManyRequests(retryAfterSeconds: wait) }
    }

    private func answer<Request>(
        _ outcome: LoginRules.Outcome, key: KeyThumbprint, _ call: Call<Request>
    ) throws -> Answer<Login> {
        let expiry = Moment(milliseconds: outcome.sessionExpiryDate)
        let session = Session(
            id: outcome.sessionID, app: call.app.id, user: outcome.member.userId, provider: outcome.provider, key: key,
            createdAt: Moment(milliseconds: outcome.sessionCreatedAt), idleExpiresAt: expiry, expiresAt: expiry,
            end: nil)
        return Answer(
            Login(
                member: outcome.member, provider: outcome.provider,
                session: try lifetimes.tokens(
                    for: session, refreshToken: outcome.refreshToken, sessionExpiry: expiry, keys: call.keys,
                    at: call.moment),
                standing: LaunchingRules.standing(
                    of: call.app, status: outcome.status, member: outcome.member.status, languages: call.languages,
                    at: call.moment),
                serverDate: call.moment.milliseconds))
    }
}

extension LoginRules.Outcome {
    fileprivate var subject: [String: String] {
        ["userId": member.userId.rawValue, "sessionId": sessionID.rawValue, "idp": provider.rawValue]
    }
}
