import GatehouseStorage
import GatehouseWire

/// The login routes. Credentials are verified outside of the transaction; the rules decide inside.
struct LoginRoutes: Sendable {
    let accounts: AccountWriter
    let providers: IdentityProviders
    let answers: LoginAnswers
    let limits: CallLimits

    func logIn(_ call: Call<Credential>) async throws -> Answer<Login> {
        do {
            return try await decide(call)
        } catch {
            answers.metrics.login(call.body.provider, .refused)
            throw error
        }
    }

    private func decide(_ call: Call<Credential>) async throws -> Answer<Login> {
        let proof = try call.caller.requireProof()
        let identity = try await identity(of: call, proof: proof)
        let result =
            if identity.key.provider == .guest {
                try await limits.admitGuest(call) {
                    try await accounts.database.read { tx in
                        try MemberRules.isKnown(identity.key, app: call.app.id, in: tx)
                    }
                } _: {
                    let outcome = try await outcome(of: call, proof: proof, identity)
                    return (outcome, outcome.isNewMember && !outcome.isRepeated)
                }
            } else {
                try await outcome(of: call, proof: proof, identity)
            }
        return try answers.answer(result, key: proof.key, call)
    }

    private func outcome(
        of call: Call<Credential>, proof: Proof, _ identity: VerifiedIdentity
    ) async throws -> LoginRules.Outcome {
        let device = answers.device(proof.key, call)
        let change = accounts.change(call)
        return try await providers.using(
            identity, on: proof.key, in: call.app, at: call.moment
        ) { identity in
            try await self.outcome(of: call, proof: proof) { tx in
                try LoginRules.logIn(identity, on: device, change, in: tx)
            }
        }
    }

    private func outcome(
        of call: Call<Credential>, proof: Proof,
        _ body: @escaping @Sendable (Draft) throws -> LoginRules.Outcome
    ) async throws -> LoginRules.Outcome {
        do {
            // A used code may mean a repeated call, so the first call's response is looked for first.
            return try await outcome(of: call, proof: proof, looksFirst: call.body.loginCode != nil, body)
        } catch is RepeatedLogin {
            return try await outcome(of: call, proof: proof, looksFirst: true, body)
        }
    }

    private func outcome(
        of call: Call<Credential>, proof: Proof, looksFirst: Bool,
        _ body: @escaping @Sendable (Draft) throws -> LoginRules.Outcome
    ) async throws -> LoginRules.Outcome {
        let idempotency = accounts.idempotency
        let owner = Idempotency.Owner.device(proof.key)
        let device = answers.device(proof.key, call)
        return try await accounts.decide(at: call.moment) { tx in
            let outcome =
                looksFirst
                ? try idempotency.perform(call.repeatable, by: owner, at: call.moment, in: tx) { outcome in
                    try LoginRules.repeated(outcome, code: .authIDPLoginFailed, on: device, in: tx)
                } _: {
                    try body(tx)
                }
                : try idempotency.performFirst(
                    call.repeatable, by: owner, at: call.moment, ifRepeated: RepeatedLogin(), in: tx
                ) { try body(tx) }
            try spendProof(proof, code: .authIDPLoginFailed, at: call.moment, in: tx)
            return outcome
        }
    }

    private struct RepeatedLogin: Error {}

    func logInWithLastProvider(_ call: Call<Empty>) async throws -> Answer<Login> {
        let (token, proof) = try call.caller.requireRefreshToken()
        let device = answers.device(proof.key, call)
        let change = accounts.change(call)
        let outcome = try await accounts.decide(at: call.moment) { tx in
            let outcome = try LoginRules.logInWithLastProvider(token, on: device, change, in: tx)
            try spendProof(proof, code: .authTokenLoginFailed, at: call.moment, in: tx)
            return outcome
        }
        return try answers.answer(outcome, key: proof.key, call)
    }

    func changeLogin(_ call: Call<TicketUse>) async throws -> Answer<Login> {
        let claims = try call.caller.requireClaims()
        let device = answers.device(claims.key, call)
        let outcome = try await accounts.transact(call) { (outcome: LoginRules.Outcome, tx) in
            // The repeated call has ended its own session, so the session that it opened is checked instead.
            try LoginRules.repeated(outcome, code: .authInvalidGatehouseToken, on: device, in: tx)
        } _: { (session, _, change, tx) in
            try LoginRules.changeLogin(call.body, of: session, on: device, change, in: tx)
        }
        return try answers.answer(outcome, key: claims.key, call)
    }

    private func identity(of call: Call<Credential>, proof: Proof) async throws -> VerifiedIdentity {
        guard call.body.provider != .guest else { return VerifiedIdentity(key: .guest(proof.key)) }
        do {
            return try await limits.checkingCredential(call, by: proof.key) {
                try await providers.verify(
                    call.body, on: proof.key, in: call.app, at: call.moment, database: accounts.database)
            }
        } catch let failure as IdentityFailure {
            throw failure.refusal(rejected: .authIDPLoginFailed, misconfigured: .authIDPLoginInvalidIDPInfo)
        }
    }
}

/// The common end of every login: tokens, standing, audit log.
struct LoginAnswers: Sendable {
    let issuer: TokenIssuer
    let audit: AuditLog
    let metrics: ServerMetrics

    func device<Body>(_ key: KeyThumbprint, _ call: Call<Body>) -> LoginRules.Device {
        LoginRules.Device(key: key, view: call.view, lifetimes: issuer.lifetimes, client: call.client)
    }

    func answer<Body>(
        _ outcome: LoginRules.Outcome, key: KeyThumbprint, _ call: Call<Body>
    ) throws -> Answer<Login> {
        if !outcome.isRepeated { tell(outcome, call) }
        let expiry = Moment(milliseconds: outcome.sessionExpiryDate)
        let session = Session(
            id: outcome.sessionID, app: call.app.id, user: outcome.member.userId, provider: outcome.provider, key: key,
            generation: outcome.generation ?? 0, createdAt: Moment(milliseconds: outcome.sessionCreatedAt),
            idleExpiresAt: expiry,
            expiresAt: expiry, end: nil)
        return Answer(
            Login(
                member: outcome.member, provider: outcome.provider,
                session: try issuer.tokens(
                    for: session, refreshToken: outcome.refreshToken, sessionExpiry: expiry, keys: call.keys,
                    at: call.moment),
                standing: StandingRules.standing(of: outcome.member, status: outcome.status, call.view),
                serverDate: call.moment.milliseconds))
    }

    private func tell<Body>(_ outcome: LoginRules.Outcome, _ call: Call<Body>) {
        metrics.login(outcome.provider, outcome.isNewMember ? .new : .returning)
        audit.record(
            call.entry(
                outcome.isNewMember ? "member.created" : "member.logged-in",
                subject: [
                    "userId": outcome.member.userId.rawValue, "sessionId": outcome.sessionID.rawValue,
                    "idp": outcome.provider.rawValue,
                ]))
    }
}
