import GatehouseSecurity
import GatehouseWire

/// One call for a route: decoded, with its verified caller and its time.
struct Call<Body: Sendable>: Sendable {
    /// The context of the request: app, time and preferred languages.
    let view: Viewpoint
    let keys: SigningKeySet
    let body: Body
    let caller: Caller
    let address: ClientAddress
    let transactionID: TransactionID
    let repeatable: Idempotency.Call
    /// Information about the device; nil if it sent none, or none that can be read.
    var client: ClientInformation?
    /// The interface that received the call.
    var door = Origin.Door.httpAPI

    var app: App { view.app }
    var moment: Moment { view.moment }

    func entry(_ event: String, subject: [String: String]) -> AuditLog.Entry {
        AuditLog.Entry(
            event: event, app: app.id, actor: caller.actor, address: address.description, transactionID: transactionID,
            subject: subject)
    }
}

/// The caller's credentials, as the endpoint's access requires.
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

    /// The caller's user id, if the caller has authenticated as a member.
    var user: UserID? {
        if case .session(let claims, _) = self { claims.user } else { nil }
    }

    // If a route needs more than its endpoint requires, that is a mistake in Routes.swift. The call is refused.

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

/// A route's response.
struct Answer<Body: Encodable & Sendable>: Sendable {
    let body: Body
    let cacheControl: String

    init(_ body: Body, cacheControl: String = "no-store") {
        self.body = body
        self.cacheControl = cacheControl
    }
}
