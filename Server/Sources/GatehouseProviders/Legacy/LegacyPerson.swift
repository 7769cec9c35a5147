package import GatehouseSecurity

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
