/// A verified report about a person.
package struct ProviderSignal: Sendable {
    package enum Kind: String, Sendable {
        case consentRevoked = "consent-revoked"
        case accountDeleted = "account-deleted"
    }

    package let identity: IdentityKey
    package let kind: Kind
    /// Distinguishes this report from others of the provider.
    package let id: String
}
