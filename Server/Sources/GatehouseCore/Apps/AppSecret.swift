import GatehousePlatform
package import GatehouseSecurity
package import GatehouseServerWire
import GatehouseWire

/// A secret key of an app, identified by its hash.
package struct AppSecret: Sendable, Hashable {
    package let hash: [UInt8]
    /// Nil for the app's own keys, which are rotated.
    package let name: String?
    package let scopes: Set<SecretKeyScope>
    package let createdAt: Moment
    /// The last use that was noted, which is some minutes behind; nil for a key that was not used.
    package var lastUsedAt: Moment?
    /// The key's first and last letters, such as `gsk_JBB6…x9Qa`; nil for a key that is older than this column. They are 48 of its 256
    /// random bits.
    package var hint: String?
    /// The network address of the last use that was noted; nil if it is not known.
    package var lastUsedFrom: String?

    /// Identifies the key for operators: the first twelve hexadecimal digits of the hash of 256 random bits, which reveal nothing about
    /// the key.
    package var id: String {
        hash.prefix(6).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    package func isHash(of key: SecretKey) -> Bool { ConstantTime.isEqual(hash, SecretRules.hash(key)) }

    static func hint(of key: SecretKey) -> String { "\(key.secretValue.prefix(8))…\(key.secretValue.suffix(4))" }
}

extension SecretKey {
    /// How every secret key begins.
    package static let mark = "gsk_"
}

// What operators read of a secret key.
extension AppSecret {
    /// How a sentence names it: by its id, and by its first and last letters if they are known.
    package var label: String { hint.map { "\(id) (\($0))" } ?? id }

    /// The name of a named key, or which of the app's own keys it is.
    package func title(among own: [AppSecret]) -> Phrase {
        name.map { .verbatim($0) } ?? (self == own.first ? "secrets.own" : "secrets.own-former")
    }

    /// When it was used last, which warns of ending one that a game server still needs.
    func use(at moment: Moment) -> Phrase {
        guard let lastUsedAt else { return Phrase("secrets.unused", ["id": .text(label)]) }
        let isRecent = moment < lastUsedAt.adding(seconds: 3_600)
        return Phrase(
            isRecent ? "secrets.in-use" : "secrets.last-used", ["id": .text(label), "when": .distance(lastUsedAt)])
    }
}

extension Phrase.Value {
    package static func scopes(_ scopes: Set<SecretKeyScope>) -> Phrase.Value {
        scopes == .every
            ? .phrase("secrets.every")
            : .list(SecretKeyScope.allCases.filter(scopes.contains).map { Phrase("scope.\($0.rawValue)") })
    }
}

extension Set<SecretKeyScope> {
    static let every = Set(SecretKeyScope.allCases)

    /// Reads the database's format; nil means every scope, including those of later versions.
    init(words: String?) {
        self = words.map { Set($0.parts(at: " ").compactMap { SecretKeyScope(rawValue: String($0)) }) } ?? .every
    }

    /// The words in the order of their declaration.
    var words: [String] { SecretKeyScope.allCases.filter(contains).map(\.rawValue) }
}
