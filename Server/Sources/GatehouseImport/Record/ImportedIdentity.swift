/// Who a player is at an identity provider, as the old system knew it.
package struct ImportedIdentity: Equatable, Sendable {
    /// The provider's neutral name, such as `google.com`.
    package var provider: String
    package var subject: String
    /// What kind of subject it is, where a provider has several: `game`, `team` or `legacy` for Game Center.
    package var kind: String?
    /// The issuer of an OpenID provider.
    package var issuer: String?
    /// The team, app or channel to which the subject belongs, where the old system knew it.
    package var namespace: String?
    /// When it was added to the account.
    package var registrationDate: Int64?

    package init(
        provider: String, subject: String, kind: String? = nil, issuer: String? = nil, namespace: String? = nil,
        registrationDate: Int64? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.kind = kind
        self.issuer = issuer
        self.namespace = namespace
        self.registrationDate = registrationDate
    }
}
