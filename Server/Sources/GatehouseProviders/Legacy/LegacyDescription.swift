import GatehouseJSON
package import GatehouseWire

/// What is particular about the credentials of one system.
package struct LegacyDescription: Sendable {
    /// A setting without which the source can't be.
    package enum Setting: String, Sendable {
        case project, issuer, audience, key
    }

    package let needs: [Setting]
    /// How its signed tokens are verified; nil for a system that has none.
    var token: LegacyToken?
    /// Calls to the system itself, for credentials that it alone can check.
    var calls: [LegacyCredential.Kind: LegacyCall] = [:]
    /// Calls that turn credentials into its signed tokens.
    var tokenCalls: [LegacyCredential.Kind: LegacyTokenCall] = [:]
    /// Keys that the system is delivered with, which everybody knows.
    var knownKeys: Set<String> = []

    /// What it takes besides ids of devices.
    package var credentialKinds: [LegacyCredential.Kind] {
        (token.map { [$0.kind] } ?? []) + (Array(calls.keys) + tokenCalls.keys).sorted { $0.rawValue < $1.rawValue }
    }

    /// Whether this key is one that the system is delivered with.
    package func isKnown(_ key: ProviderToken) -> Bool { knownKeys.contains(key.secretValue) }
}

/// The signed tokens of one system: who signs them, and what else must be right.
struct LegacyToken: Sendable {
    /// Where the public keys are.
    enum Keys: Sendable {
        case at(@Sendable (LegacySettings) -> String)
        /// In the issuer's discovery document.
        case discovered
        /// Nowhere: tokens are signed with the source's secret key.
        case none
    }

    let kind: LegacyCredential.Kind
    /// The issuer; nil for tokens that name none.
    let issuer: @Sendable (LegacySettings) -> String?
    /// The audience that tokens must name; nil if ``person`` looks at it.
    var audience: @Sendable (LegacySettings) -> String? = { _ in nil }
    var keys: Keys
    var algorithms = ["RS256"]
    /// The type in the header (RFC 8725 section 3.11); nil for `JWT`, which may be left out.
    var type: String?
    /// Whether tokens that are signed with a secret key are good, if the operator has given it.
    var takesSecretKey = false
    /// Whether the time of issue is always told.
    var tellsIssue = true
    /// Says what a token is that this system signs for something else, in a sentence; nil for one that may be right.
    var otherKind: @Sendable (_ claims: StrictJSON.Value, _ settings: LegacySettings) -> String? = { _, _ in nil }
    /// Reads the person of a token whose signature, issuer, audience and times are right.
    let person: @Sendable (StrictJSON.Value, LegacySettings) throws(IdentityFailure) -> LegacyPerson
}

extension StrictJSON.Value {
    /// The names of an object's members.
    var names: [String] {
        guard case .object(let members) = self else { return [] }
        return members.map(\.name)
    }

}

extension StrictJSON.Value? {
    /// An id of the old system: printable, and of at most so many bytes.
    func legacyID(atMost maximum: Int = 256) throws(IdentityFailure) -> String {
        guard let id = self?.string, (1...maximum).contains(id.utf8.count),
            id.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
        else { throw .rejected("it names nobody") }
        return id
    }
}
