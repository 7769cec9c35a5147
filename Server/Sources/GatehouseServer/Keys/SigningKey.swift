import Crypto
import Foundation
import GatehouseWire

/// A key that signs an app's access tokens.
struct SigningKey: Sendable {
    let id: String
    let privateKey: P256.Signing.PrivateKey
    let publicKey: P256.Signing.PublicKey
    let createdAt: Moment
    /// When it begins to sign. Before that it is only published, so that game servers know it when its first token arrives.
    let activeAt: Moment
    /// The header of its tokens.
    let tokenHeader: String

    init(id: String, privateKey: P256.Signing.PrivateKey, createdAt: Moment, activeAt: Moment) {
        self.id = id
        self.privateKey = privateKey
        publicKey = privateKey.publicKey
        self.createdAt = createdAt
        self.activeAt = activeAt
        tokenHeader = Self.header(type: "at+jwt", id: id)
    }

    /// The header of other signed documents.
    func header(type: String) -> String { Self.header(type: type, id: id) }

    private static func header(type: String, id: String) -> String {
        #"{"alg":"ES256","typ":"\#(type)","kid":"\#(id)"}"#
    }

    var published: PublicKey {
        let bytes = publicKey.rawRepresentation
        return PublicKey(
            x: Base64URL.encode(bytes.prefix(32)), y: Base64URL.encode(bytes.suffix(32)), kid: id, alg: "ES256",
            use: "sig")
    }
}

/// The keys of one app, oldest first.
struct SigningKeySet: Sendable {
    let keys: [SigningKey]
    /// The lifetime of an access token. An old key remains valid this long after its successor has taken over.
    let tokenLifetimeSeconds: Int64

    /// The key that signs now: the newest active one. If all keys are in the future, because the clock was set back, the oldest signs,
    /// so that logins are not refused.
    func signing(at moment: Moment) -> SigningKey? {
        keys.last { $0.activeAt <= moment } ?? keys.first
    }

    /// The keys that may have signed valid tokens, or will sign soon.
    func published(at moment: Moment) -> [SigningKey] {
        keys.indices.filter { isPublished($0, at: moment) }.map { keys[$0] }
    }

    /// The key that has signed a token.
    ///
    /// - Parameter retired: whether a key will do that has been replaced for longer than its tokens last. One that was revoked is
    ///   not in the set.
    func verifying(_ id: String, at moment: Moment, retired: Bool = false) -> SigningKey? {
        guard let index = keys.firstIndex(where: { $0.id == id }) else { return nil }
        return retired || isPublished(index, at: moment) ? keys[index] : nil
    }

    private func isPublished(_ index: Int, at moment: Moment) -> Bool {
        guard index + 1 < keys.count else { return true }
        return moment < keys[index + 1].activeAt.adding(seconds: tokenLifetimeSeconds)
    }
}
