import GatehouseJSON
package import GatehousePlatform

/// A set of keys as a provider publishes it (RFC 7517 section 5).
package struct ProviderKeySet: Sendable {
    /// The maximum number of keys of one provider; real ones publish two or three.
    private static let maximumKeys = 32

    /// The key named in a token's header.
    package struct Wanted: Sendable {
        /// Nil for a token without a key id, which is valid if exactly one key fits (OpenID Connect Core section 10.1).
        package let id: String?
        package let algorithm: String
    }

    private struct Member: Sendable {
        let id: String?
        let key: ProviderKey
    }

    private let members: [Member]
    /// The algorithms of keys for signatures that are not known here, for operators.
    package let otherAlgorithms: [String]

    /// Nil if the body is not a set of keys, or has no usable one. Members of other kinds are ignored (IDP-5).
    package init?(_ body: Data) {
        guard let document = try? StrictJSON.parse(body), case .array(let keys)? = document["keys"] else { return nil }
        var members: [Member] = []
        var others: [String] = []
        for jwk in keys.prefix(Self.maximumKeys) {
            guard let key = ProviderKey(jwk) else {
                if let name = ProviderKey.otherAlgorithm(of: jwk) { others.append(name) }
                continue
            }
            if let id = jwk["kid"] {
                if let id = id.string { members.append(Member(id: id, key: key)) }
            } else {
                members.append(Member(id: nil, key: key))
            }
        }
        self.members = members
        otherAlgorithms = others
        guard !members.isEmpty else { return nil }
    }

    package var algorithms: [String] { members.map(\.key.algorithm) }

    /// The key with this id and algorithm. If the token or the keys have no id, the only key that fits; nil if several fit.
    package subscript(_ wanted: Wanted) -> ProviderKey? {
        let fitting = members.filter { $0.key.algorithm == wanted.algorithm }
        guard let id = wanted.id else { return fitting.count == 1 ? fitting[0].key : nil }
        if let member = fitting.last(where: { $0.id?.isExactly(id) ?? false }) { return member.key }
        let unnamed = fitting.filter { $0.id == nil }
        return unnamed.count == 1 && fitting.count == 1 ? unnamed[0].key : nil
    }
}
