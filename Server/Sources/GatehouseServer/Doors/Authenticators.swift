import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes

/// Authenticates players' devices by their proofs (RFC 9449), so that no code behind it needs to.
struct ProofAuthenticator: Sendable {
    private static let withdrawal = AnyEndpoint(Endpoints.withdraw)

    let tokens: AccessTokenReader
    let verifier: ProofVerifier
    let replays = ReplayGuard()
    let limits: CallLimits

    func admit(_ received: ContractDoor.ReceivedCall) async throws -> (actor: Actor, once: CallIdentity) {
        let (principal, proof) = try await principal(of: received)
        var once = CallIdentity()
        if let proof {
            once.owner = .device(proof.key)
            if case .player(let claims) = principal {
                once.owner = .session(proof.key, claims.session, claims.user)
            }
            if received.endpoint.changes { once.proof = (proof, received.endpoint.usedProofCode) }
        }
        return (Actor(principal: principal, door: .httpAPI), once)
    }

    private func principal(of received: ContractDoor.ReceivedCall) async throws -> (Actor.Principal, Proof?) {
        switch received.endpoint.access {
        case .device(.open):
            // Launching information needs neither a login nor a correct clock, so an invalid proof is ignored.
            let proof = try? verifiedProof(of: received, token: nil, code: ErrorCode.authAuthenticationServerError)
            return (.anyone(proof?.key), nil)
        case .device(.deviceKey):
            let proof = try claimedProof(of: received, token: nil, code: .authIDPLoginFailed)
            return (.device(proof.key, origin: proof.origin), proof)
        case .device(.refreshToken):
            let token = try token(of: received)
            let proof = try claimedProof(of: received, token: token, code: received.endpoint.usedProofCode)
            return (.tokenHolder(RefreshToken(token), proof.key), proof)
        case .device(.accessToken): return try await player(received)
        // Game servers have a gate of their own.
        case .secretKey: throw Refusal(.userPermission)
        }
    }

    private func player(_ received: ContractDoor.ReceivedCall) async throws -> (Actor.Principal, Proof?) {
        let token = try token(of: received)
        let proof = try claimedProof(of: received, token: token, code: .authAuthenticationServerError)
        // A session that is valid only for a withdrawal can't obtain a new access token, so an expired one is accepted.
        let claims = try await tokens.claims(
            of: AccessToken(token), app: received.app.app.id, expired: received.endpoint == Self.withdrawal,
            at: received.moment)
        guard claims.key == proof.key else {
            throw Refusal(
                .authInvalidGatehouseToken, "The access token is bound to another device's key.", reason: .keyMismatch,
                audit: "token.refused")
        }
        return (.player(claims), proof)
    }

    /// The token of `Authorization: DPoP <token>`, which must appear exactly once.
    private func token(of received: ContractDoor.ReceivedCall) throws -> String {
        let values = received.headers[values: .authorization]
        let scheme = HeaderNames.authorizationScheme + " "
        guard values.count == 1, let value = values.first,
            value.utf8.count > scheme.utf8.count, value.utf8.prefix(scheme.utf8.count).allSatisfy({ $0 < 0x80 }),
            value.prefix(scheme.utf8.count).lowercasedASCII == scheme.lowercasedASCII
        else {
            throw Refusal(
                .notLoggedIn, "The call needs a header Authorization: DPoP <token>.", reason: .tokenMissing,
                audit: "token.refused")
        }
        return String(value.dropFirst(scheme.count))
    }

    /// Verifies a proof and claims it on this node. A proof that is replayed here causes no database query. If it is replayed at
    /// another node, the database refuses it there when the call changes something.
    private func claimedProof(of received: ContractDoor.ReceivedCall, token: String?, code: ErrorCode) throws -> Proof {
        try counted(received) {
            let proof = try verifiedProof(of: received, token: token, code: code)
            guard replays.claim(proof, at: received.moment) else {
                throw ProofFailure.replayed.refusal(code, at: received.moment)
            }
            return proof
        }
    }

    private func verifiedProof(of received: ContractDoor.ReceivedCall, token: String?, code: ErrorCode) throws -> Proof
    {
        do throws(ProofFailure) {
            let values = received.headers.values(of: Headers.proof)
            guard values.count == 1, let text = values.first else { throw .missing }
            let target = ProofTarget(method: received.method, path: received.path, token: token)
            return try verifier.verify(text, for: target, at: received.moment)
        } catch {
            throw error.refusal(code, at: received.moment)
        }
    }

    /// Counts refused proofs per address, and refuses an address above the limit without further work.
    private func counted<Value>(_ received: ContractDoor.ReceivedCall, _ check: () throws -> Value) throws -> Value {
        let claims = Limit.refusedProofs.claims(received.app.app, address: received.address)
        if let wait = limits.limiter.wait(claims) { throw Refusal.tooManyRequests(retryAfterSeconds: wait) }
        do {
            return try check()
        } catch {
            limits.limiter.count(claims)
            throw error
        }
    }
}

extension AnyEndpoint {
    /// The code for a proof that is refused, or that was used before: a failed login, or a call that could not be authenticated.
    fileprivate var usedProofCode: ErrorCode {
        switch template {
        case Endpoints.logIn.template, Endpoints.beginLogin.template, Endpoints.migrate.template:
            .authIDPLoginFailed
        case Endpoints.logInWithLastProvider.template: .authTokenLoginFailed
        default: .authAuthenticationServerError
        }
    }
}

/// Authenticates game servers by an app's secret keys.
struct SecretKeyAuthenticator: Sendable {
    /// Where the use of a key is noted.
    let uses: SecretUses

    func admit(_ received: ContractDoor.ReceivedCall) throws -> (actor: Actor, once: CallIdentity) {
        // Devices' endpoints have a gate of their own.
        guard case .secretKey(let scope) = received.endpoint.access else { throw Refusal(.userPermission) }
        let scopes = try scopes(
            of: received.headers, for: scope, app: received.app, from: received.address, at: received.moment)
        return (Actor(principal: .gameServer(scopes), door: .httpAPI), CallIdentity(owner: .gameServer))
    }

    /// Refuses with 5 a caller without one of the app's secret keys, or with one that lacks the scope that the call needs.
    ///
    /// - Returns: the scopes of the caller's key.
    func scopes(
        of headers: HTTPFields, for scope: SecretKeyScope, app: AppDirectory.Entry, from address: ClientAddress,
        at moment: Moment
    ) throws -> Set<SecretKeyScope> {
        let values = headers.values(of: Headers.secretKey)
        guard let secret = app.secret(SecretKey(values.first ?? "")), values.count == 1 else {
            throw Refusal(.userPermission, audit: "secret-key.refused")
        }
        guard secret.scopes.contains(scope) else {
            throw Refusal(
                .userPermission, "The secret key lacks the scope \(scope.rawValue).", reason: .scope,
                httpStatus: 403, audit: "secret-key.refused")
        }
        uses.note(secret, of: app.app.id, from: address, at: moment)
        return secret.scopes
    }
}
