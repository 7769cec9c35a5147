import GatehouseJSON
package import GatehouseSecurity
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

/// A call that turns a lasting credential into a token, which is then verified like one that a device shows.
struct LegacyTokenCall: Sendable {
    let request: @Sendable (LegacyCredential, _ key: ProviderToken) -> OutgoingRequest
    /// Reads the token of an answer, whatever its status.
    let token: @Sendable (StrictJSON.Value) throws(IdentityFailure) -> ProviderToken
}

/// A call that has to come before another one: its answer has the key for it.
struct LegacyKeyCall: Sendable {
    let request: @Sendable (LegacySettings, _ key: ProviderToken) -> OutgoingRequest
    /// Reads the key of an answer, whatever its status.
    let key: @Sendable (StrictJSON.Value) throws(IdentityFailure) -> ProviderToken
}

/// A question to the old system itself, about a credential that it alone can check.
struct LegacyCall: Sendable {
    /// The request; nil for a credential that lacks something, or a source without the secret of the old system's server.
    let request: @Sendable (LegacyCredential, LegacySettings, _ key: ProviderToken) -> OutgoingRequest?
    /// Reads the person of an answer, whatever its status.
    let person: @Sendable (_ status: Int, StrictJSON.Value) throws(IdentityFailure) -> LegacyPerson
    /// What gives the key, where it is not the operator's own.
    var before: LegacyKeyCall?
    /// Whether the credential is one that a first device keeps: a password that a player types is not.
    var isBound = true
}

/// The owner of a credential of another system, as that system says it.
package struct LegacyPerson: Sendable, Hashable {
    /// An identity of the person there. Systems that don't tell the subject have nil.
    package struct Identity: Sendable, Hashable {
        package let name: String
        package var subject: String?

        package init(name: String, subject: String? = nil) {
            self.name = name
            self.subject = subject
        }
    }

    package let legacyID: String
    package var identities: [Identity] = []
    /// When the person has signed in there, or at least when the credential was issued; nil if the system doesn't tell.
    package var signedInAt: Moment?
    /// What binds the credential to the first device that uses it.
    package var claim: CredentialClaim?

    package init(legacyID: String, identities: [Identity] = []) {
        self.legacyID = legacyID
        self.identities = identities
    }
}
