package import GatehouseSecurity
package import GatehouseWire

/// One line of what a new app has of the app that it is like, and of what it has not.
package enum AppCopyLine: Sendable, Hashable {
    // What is copied.
    case language(String)
    /// The policy of accounts but the redirects, and whether there are transfer accounts.
    case accountPolicy(hasTransfers: Bool)
    case limits
    /// It is switched off. What it is missing is the secrets of these names.
    case provider(Provider, secrets: [String])
    case banTemplates(Int)
    case replies(Int)
    /// The text of the status, from an app in service.
    case statusText
    /// The texts of a maintenance that is over.
    case maintenanceTexts(end: Moment)

    // What is not.
    case redirects([String])
    /// The limits that the other app does not have, by the names of their settings.
    case unlimited([String])
    case fakeProviders([Provider])
    case archivedTemplates(Int)
    /// The status of an app that is not in service, and its text.
    case status(LaunchingStatus)
    /// A maintenance that is planned, or goes on.
    case maintenance(end: Moment)
    case clientRules(Int)
    case testDevices(Int)
    case alertReceivers(Int)
    case legacySources(Int)

    package var isCopied: Bool {
        switch self {
        case .language, .accountPolicy, .limits, .provider, .banTemplates, .replies, .statusText, .maintenanceTexts:
            true
        case .redirects, .unlimited, .fakeProviders, .archivedTemplates, .status, .maintenance, .clientRules,
            .testDevices, .alertReceivers, .legacySources:
            false
        }
    }
}
