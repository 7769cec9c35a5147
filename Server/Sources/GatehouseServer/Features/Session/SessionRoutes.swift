import GatehouseStorage
import GatehouseWire

/// A session between its login and its end: fresh access tokens, heartbeats, logout.
struct SessionRoutes: Sendable {
    let accounts: AccountWriter
    let lifetimes: SessionLifetimes
    let audit: AuditLog

    func refresh(_ call: Call<Empty>) async throws -> Answer<SessionRenewal> {
        let (token, proof) = try call.caller.requireRefreshToken()
        let (session, deadline) = try await accounts.write(at: call.moment) { tx in
            let (session, _) = try SessionRules.session(
                of: token, key: proof.key, code: .authInvalidGatehouseToken, call.view, in: tx)
            let deadline = try SessionRules.extend(session, lifetimes: lifetimes, at: call.moment, in: tx)
            try spendProof(proof, code: .authAuthenticationServerError, at: call.moment, in: tx)
            return (session, deadline)
        }
        return Answer(
            SessionRenewal(
                session: try lifetimes.tokens(
                    for: session, refreshToken: nil, sessionExpiry: deadline, keys: call.keys, at: call.moment),
                serverDate: call.moment.milliseconds))
    }

    func heartbeat(_ call: Call<Empty>) async throws -> Answer<Heartbeat> {
        let claims = try call.caller.requireClaims()
        let (_, member) = try await SessionRules.live(claims, call.view, in: accounts.database)
        let status = try await LaunchingRules.status(of: call.app, device: claims.key, at: call.moment, in: accounts.database)
        return Answer(
            Heartbeat(
                standing: StandingRules.standing(of: member, status: status, call.view),
                nextHeartbeatSeconds: LaunchingRules.heartbeatSeconds, serverDate: call.moment.milliseconds))
    }

    func logOut(_ call: Call<Empty>) async throws -> Answer<Empty> {
        let (token, proof) = try call.caller.requireRefreshToken()
        let (session, hasEnded) = try await accounts.database.write { tx in
            let outcome = try SessionRules.logOut(token, key: proof.key, app: call.app.id, at: call.moment, in: tx)
            try spendProof(proof, code: .authAuthenticationServerError, at: call.moment, in: tx)
            return outcome
        }
        if hasEnded {
            audit.record(
                call.entry(
                    "session.ended",
                    subject: ["userId": session.user.rawValue, "sessionId": session.id.rawValue, "why": "logged_out"]))
        }
        return Answer(Empty())
    }
}

extension SessionLifetimes {
    /// A fresh access token for a session, signed outside any transaction.
    func tokens(
        for session: Session, refreshToken: RefreshToken?, sessionExpiry: Moment, keys: SigningKeySet, at moment: Moment
    ) throws -> SessionTokens {
        guard let key = keys.signing(at: moment) else {
            throw Refusal(.serverInternalError, "The app has no signing key.")
        }
        // A token never outlives its session.
        let expiry = min(moment.adding(seconds: accessTokenSeconds), sessionExpiry)
        let claims = AccessClaims(
            app: session.app, user: session.user, session: session.id, provider: session.provider, key: session.key,
            issuedAt: moment, expiresAt: expiry)
        return SessionTokens(
            accessToken: try AccessTokens.sign(claims, with: key),
            accessTokenExpiryDate: expiry.milliseconds / 1_000 * 1_000, refreshToken: refreshToken,
            sessionExpiryDate: sessionExpiry.milliseconds)
    }
}

/// Spends the proof of a change, in the change's own transaction: over all nodes, it changes something once. The last thing
/// that a body does: what reads first and then writes without waiting can share a transaction with others.
func spendProof(_ proof: Proof, code: ErrorCode, at moment: Moment, in tx: Transaction) throws {
    try ProofQueries.spend(proof, else: ProofFailure.replayed.refusal(code, at: moment), in: tx)
}
