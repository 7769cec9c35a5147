import Crypto
import Foundation
import GatehouseWire

/// A key that signs an app's access tokens.
struct SigningKey: Sendable {
    let id: String
    let privateKey: P256.Signing.PrivateKey
    let publicKey: P256.Signing.PublicKey
    let createdAt: Moment
    /// From then on it signs. Before, it is only published, so that game servers know it when its first token comes.
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

    /// The header of what else it signs.
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
    /// How long an access token lives: that long, an old key still verifies after its successor has taken over.
    let tokenLifetimeSeconds: Int64

    /// The key that signs now: the newest active one. A set whose keys all lie ahead, after the clock was set back, signs
    /// with the oldest rather than refusing every login.
    func signing(at moment: Moment) -> SigningKey? {
        keys.last { $0.activeAt <= moment } ?? keys.first
    }

    /// The keys that tokens of this moment may have been signed with, or will be.
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
