import GatehouseStorage
import GatehouseWire

/// A session between its login and its end: new access tokens, heartbeats, logout.
struct SessionRoutes: Sendable {
    let accounts: AccountWriter
    let issuer: TokenIssuer
    let audit: AuditLog

    func refresh(_ call: Call<Empty>) async throws -> Answer<SessionRenewal> {
        let (token, proof) = try call.caller.requireRefreshToken()
        let change = accounts.change(call)
        let (session, deadline) = try await accounts.decide(at: call.moment) { tx in
            let (session, _) = try SessionRules.session(
                of: token, key: proof.key, code: .authInvalidGatehouseToken, call.view, in: tx)
            let deadline = try SessionRules.extend(session, lifetimes: issuer.lifetimes, change, in: tx)
            try spendProof(proof, code: .authAuthenticationServerError, at: call.moment, in: tx)
            return (session, deadline)
        }
        return Answer(
            SessionRenewal(
                session: try issuer.tokens(
                    for: session, refreshToken: nil, sessionExpiry: deadline, keys: call.keys, at: call.moment),
                serverDate: call.moment.milliseconds))
    }

    func heartbeat(_ call: Call<Empty>) async throws -> Answer<Heartbeat> {
        let claims = try call.caller.requireClaims()
        let (_, member) = try await SessionRules.live(claims, call.view, in: accounts.database)
        let status = try await LaunchingRules.status(
            of: call.app, device: claims.key, at: call.moment, in: accounts.database)
        return Answer(
            Heartbeat(
                standing: StandingRules.standing(of: member, status: status, call.view),
                nextHeartbeatSeconds: LaunchingRules.heartbeatSeconds, serverDate: call.moment.milliseconds))
    }

    func logOut(_ call: Call<Empty>) async throws -> Answer<Empty> {
        let (token, proof) = try call.caller.requireRefreshToken()
        let change = accounts.change(call)
        let (session, hasEnded) = try await accounts.database.decide { tx in
            let outcome = try SessionRules.logOut(token, key: proof.key, change, in: tx)
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

/// Claims the proof of a change in the change's own transaction, so that a proof changes something only once over all nodes. It must be
/// the last step of a body: a body that first reads and then only writes can share a transaction with others.
func spendProof(_ proof: Proof, code: ErrorCode, at moment: Moment, in tx: Draft) throws {
    try ProofQueries.spend(proof, else: ProofFailure.replayed.refusal(code, at: moment), in: tx)
}
