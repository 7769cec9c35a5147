package import GatehouseProviders
package import GatehouseSecurity

/// What an operator's last test of an identity provider has found.
package struct ProviderTestRecord: Sendable, Hashable {
    package let findings: [ProviderFinding]
    /// The settings that were tested (``ProviderConfiguration/version``).
    package let version: String
    package let person: String
    package let date: Moment

    /// Whether these settings have passed it: something was fine, and nothing was wrong.
    func isPassed(by configuration: ProviderConfiguration?) -> Bool {
        version == configuration?.version && findings.contains(where: \.isFine) && !findings.contains(where: \.isWrong)
    }
}
