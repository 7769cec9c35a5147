package import GatehouseProviders
package import GatehouseSecurity

/// What an operator's last test of an identity provider has found.
package struct ProviderTestRecord: Sendable, Hashable {
    package let findings: [ProviderFinding]
    /// The settings that were tested (``ProviderConfiguration/version``).
    package let version: String
    package let person: String
    package let date: Moment
}
