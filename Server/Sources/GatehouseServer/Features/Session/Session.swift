import Foundation
import GatehouseWire

/// One login on one device.
struct Session: Sendable, Hashable {
    let id: SessionID
    let app: AppID
    let user: UserID
    /// The identity provider that it was opened with.
    let provider: Provider
    /// The device's key that it is bound to (SES-2).
    let key: KeyThumbprint
    /// The member's generation at its opening: a later one has ended it.
    let generation: Int64
    let createdAt: Moment
    /// Its end if it is not used before.
    let idleExpiresAt: Moment
    /// Its end whatever happens.
    let expiresAt: Moment
    /// Why it ended, if it did.
    let end: SessionEnd?
}

/// Why a session ended. An open set: rows outlive versions.
struct SessionEnd: RawRepresentable, Sendable, Hashable {
    let rawValue: String

    static let loggedOut = SessionEnd(rawValue: ErrorReason.loggedOut.rawValue)
    /// A login by ticket took its place (MAP-7).
    static let replaced = SessionEnd(rawValue: ErrorReason.replaced.rawValue)
}

/// How long sessions and their tokens live.
public struct SessionLifetimes: Sendable, Hashable {
    /// Of an access token.
    public var accessTokenSeconds: Int64
    /// Of a session that is not used.
    public var idleSeconds: Int64
    /// Of a session, however much it is used.
    public var maximumSeconds: Int64

    public init(
        accessTokenSeconds: Int64 = 3_600, idleSeconds: Int64 = 90 * 86_400, maximumSeconds: Int64 = 400 * 86_400
    ) {
        self.accessTokenSeconds = accessTokenSeconds
        self.idleSeconds = idleSeconds
        self.maximumSeconds = maximumSeconds
    }
}

/// A refresh token's two halves: the session's id, by which it is found, and 256 random bits, of which the database knows
/// only the hash.
struct RefreshCredential: Sendable {
    let session: SessionID
    let secret: [UInt8]

    init(session: SessionID, secret: [UInt8]) {
        self.session = session
        self.secret = secret
    }

    init?(_ token: RefreshToken) {
        let parts = token.secretValue.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 26, parts[1].utf8.count == 43,
            parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x76).contains($0) }),
            let secret = Base64URL.decode(parts[1].utf8)
        else { return nil }
        self.init(session: SessionID(String(parts[0])), secret: secret)
    }

    var token: RefreshToken { RefreshToken("\(session).\(Base64URL.encode(secret))") }
}
