import GatehouseWire

/// One call as a route sees it: decoded, with its caller verified, at one moment.
struct Call<Body: Sendable>: Sendable {
    /// From where this caller's player looks.
    let view: Viewpoint
    let keys: SigningKeySet
    let body: Body
    let caller: Caller
    let address: ClientAddress
    let transactionID: TransactionID
    let repeatable: Idempotency.Call
    /// What the device says of itself; nil where it says nothing, or nothing that can be read.
    var client: ClientInformation?
    /// The way in.
    var door = Origin.Door.httpAPI

    var app: App { view.app }
    var moment: Moment { view.moment }

    func entry(_ event: String, subject: [String: String]) -> AuditLog.Entry {
        AuditLog.Entry(
            event: event, app: app.id, actor: caller.actor, address: address.description, transactionID: transactionID,
            subject: subject)
    }
}

/// What the caller has shown, as the endpoint's access asks.
enum Caller: Sendable {
    case anyone(Proof?)
    case device(Proof)
    case refreshToken(RefreshToken, Proof)
    case session(AccessClaims, Proof)
    case gameServer

    var actor: AuditLog.Actor {
        if case .gameServer = self { .gameServer } else { .player }
    }

    var proof: Proof? {
        switch self {
        case .anyone(let proof): proof
        case .device(let proof), .refreshToken(_, let proof), .session(_, let proof): proof
        case .gameServer: nil
        }
    }

    /// Whom the caller is in as, where it has shown that.
    var user: UserID? {
        if case .session(let claims, _) = self { claims.user } else { nil }
    }

    // A route whose endpoint asks for less than the route needs is a mistake in Routes.swift: it fails closed.

    func requireProof() throws -> Proof {
        guard let proof else { throw Refusal(.notLoggedIn) }
        return proof
    }

    func requireRefreshToken() throws -> (RefreshToken, Proof) {
        guard case .refreshToken(let token, let proof) = self else { throw Refusal(.notLoggedIn) }
        return (token, proof)
    }

    func requireClaims() throws -> AccessClaims {
        guard case .session(let claims, _) = self else { throw Refusal(.notLoggedIn) }
        return claims
    }
}

/// A route's answer.
struct Answer<Body: Encodable & Sendable>: Sendable {
    let body: Body
    let cacheControl: String

    init(_ body: Body, cacheControl: String = "no-store") {
        self.body = body
        self.cacheControl = cacheControl
    }
}
