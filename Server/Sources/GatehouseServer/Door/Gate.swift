import Foundation
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Hummingbird

/// Authenticates callers, so that no code behind it needs to.
struct Gate: Sendable {
    let tokens: AccessTokenReader
    let verifier: ProofVerifier
    let replays: ReplayGuard
    let limits: CallLimits

    private static let withdrawal = AnyEndpoint(Endpoints.withdraw)

    struct Visit: Sendable {
        let app: AppDirectory.Entry
        let endpoint: AnyEndpoint
        let path: String
        let headers: HTTPFields
        let address: ClientAddress
        let moment: Moment
        let repeatable: Idempotency.Call
    }

    func admit(_ visit: Visit) async throws -> Caller {
        let caller = try await caller(of: visit)
        if visit.endpoint.changes, let key = caller.proof?.key {
            try limits.admitChange(visit.repeatable, by: key, user: caller.user, app: visit.app.app)
        }
        return caller
    }

    private func caller(of visit: Visit) async throws -> Caller {
        switch visit.endpoint.access {
        case .device(.open):
            // Launching information needs neither a login nor a correct clock, so an invalid proof is ignored.
            return .anyone(try? verifiedProof(of: visit, token: nil, code: ErrorCode.authAuthenticationServerError))
        case .device(.deviceKey):
            return .device(try claimedProof(of: visit, token: nil, code: .authIDPLoginFailed))
        case .device(.refreshToken):
            let code = visit.endpoint.refusedProofCode
            let token = try token(of: visit)
            return .refreshToken(RefreshToken(token), try claimedProof(of: visit, token: token, code: code))
        case .device(.accessToken):
            return try await session(visit)
        case .secretKey(let scope):
            try checkSecret(visit.headers, of: visit.app, for: scope)
            return .gameServer
        }
    }

    private func session(_ visit: Visit) async throws -> Caller {
        let token = try token(of: visit)
        let proof = try claimedProof(of: visit, token: token, code: .authAuthenticationServerError)
        // A session that is valid only for a withdrawal can't obtain a new access token, so an expired one is accepted.
        let claims = try await tokens.claims(
            of: AccessToken(token), app: visit.app.app.id, expired: visit.endpoint == Self.withdrawal,
            at: visit.moment)
        guard claims.key == proof.key else {
            throw Refusal(
                .authInvalidGatehouseToken, "The access token is bound to another device's key.", reason: .keyMismatch,
                audit: "token.refused")
        }
        return .session(claims, proof)
    }

    /// The token of `Authorization: DPoP <token>`, which must appear exactly once.
    private func token(of visit: Visit) throws -> String {
        let values = visit.headers[values: .authorization]
        let scheme = HeaderNames.authorizationScheme + " "
        guard values.count == 1, let value = values.first, value.lowercased().hasPrefix(scheme.lowercased()) else {
            throw Refusal(
                .notLoggedIn, "The call needs a header Authorization: DPoP <token>.", reason: .tokenMissing,
                audit: "token.refused")
        }
        return String(value.dropFirst(scheme.count))
    }

    /// Verifies a proof and claims it on this node. A proof that is replayed here causes no database query. If it is replayed at
    /// another node, the database refuses it there when the call changes something.
    private func claimedProof(of visit: Visit, token: String?, code: ErrorCode) throws -> Proof {
        try counted(visit) {
            let proof = try verifiedProof(of: visit, token: token, code: code)
            guard replays.claim(proof, at: visit.moment) else {
                throw ProofFailure.replayed.refusal(code, at: visit.moment)
            }
            return proof
        }
    }

    private func verifiedProof(of visit: Visit, token: String?, code: ErrorCode) throws -> Proof {
        do throws(ProofFailure) {
            let values = visit.headers.values(of: Headers.proof)
            guard values.count == 1, let text = values.first else { throw .missing }
            let target = ProofTarget(method: visit.endpoint.verb.rawValue, path: visit.path, token: token)
            return try verifier.verify(text, for: target, at: visit.moment)
        } catch {
            throw error.refusal(code, at: visit.moment)
        }
    }

    /// Counts refused proofs per address, and refuses an address above the limit without further work.
    private func counted<Value>(_ visit: Visit, _ check: () throws -> Value) throws -> Value {
        let app = visit.app.app
        let claims = RateLimiter.Claim.address(
            .refusedProofs, app, visit.address, limit: app.limits.refusedProofsPerMinute)
        if let wait = limits.limiter.wait(claims) { throw Refusal.tooManyRequests(retryAfterSeconds: wait) }
        do {
            return try check()
        } catch {
            limits.limiter.count(claims)
            throw error
        }
    }

    /// Refuses with 5 a caller without one of the app's secret keys, or with one that lacks the scope that the call needs.
    func checkSecret(_ headers: HTTPFields, of app: AppDirectory.Entry, for scope: SecretKeyScope) throws {
        let values = headers.values(of: Headers.secretKey)
        let hash = SecretRules.hash(SecretKey(values.first ?? ""))
        // Every hash is compared, so that the response time does not reveal which secret was closer.
        let matches = app.secrets.filter { SessionRules.isSame($0.hash, hash) }
        guard values.count == 1, let secret = matches.first else {
            throw Refusal(.userPermission, audit: "secret-key.refused")
        }
        guard secret.scopes.contains(scope) else {
            throw Refusal(
                .userPermission, "The secret key lacks the scope \(scope.rawValue).", reason: .scope,
                httpStatus: 403, audit: "secret-key.refused")
        }
    }
}

extension AnyEndpoint {
    /// The code for a refused proof: a failed login, or a call that could not be authenticated.
    fileprivate var refusedProofCode: ErrorCode {
        template == Endpoints.logInWithLastProvider.template ? .authTokenLoginFailed : .authAuthenticationServerError
    }
}

/// The contract's own headers as values of HTTPTypes.
enum Headers {
    static let proof = HTTPField.Name(HeaderNames.proof)
    static let secretKey = HTTPField.Name(HeaderNames.secretKey)
    static let idempotencyKey = HTTPField.Name(HeaderNames.idempotencyKey)
    static let client = HTTPField.Name(HeaderNames.client)
    static let transactionID = HTTPField.Name(HeaderNames.transactionID)
    static let forwardedFor = HTTPField.Name("X-Forwarded-For")
}

extension HTTPFields {
    /// Every value of a header, in order.
    func values(of name: HTTPField.Name?) -> [String] {
        name.map { self[values: $0] } ?? []
    }
}
