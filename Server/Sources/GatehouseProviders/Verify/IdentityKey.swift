package import GatehouseWire

/// The account of one person at one identity provider. The database keeps it unique in an app.
package struct IdentityKey: Sendable, Hashable, Codable {
    package let provider: Provider
    /// The scope in which the provider's subjects are unique (a team, a channel); empty if the provider has only one.
    package let namespace: String
    package let subject: String

    package init(provider: Provider, namespace: String, subject: String) {
        self.provider = provider
        self.namespace = namespace
        self.subject = subject
    }
}
