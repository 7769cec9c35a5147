import GatehouseSecurity
import GatehouseWire

/// The session that an access token is issued for.
struct TokenSubject: Sendable, Hashable {
    let app: AppID
    let user: UserID
    let session: SessionID
    let provider: Provider
    let key: KeyThumbprint
    let generation: Int64
    let createdAt: Moment

    init(_ session: Session) {
        app = session.app
        user = session.user
        self.session = session.id
        provider = session.provider
        key = session.key
        generation = session.generation
        createdAt = session.createdAt
    }

    init(
        app: AppID, user: UserID, session: SessionID, provider: Provider, key: KeyThumbprint, generation: Int64,
        createdAt: Moment
    ) {
        self.app = app
        self.user = user
        self.session = session
        self.provider = provider
        self.key = key
        self.generation = generation
        self.createdAt = createdAt
    }

    /// The session of an access token, after it has moved on to another identity provider.
    init(_ claims: AccessClaims, provider: Provider) {
        app = claims.app
        user = claims.user
        session = claims.session
        self.provider = provider
        key = claims.key
        generation = claims.generation
        createdAt = claims.issuedAt
    }
}
