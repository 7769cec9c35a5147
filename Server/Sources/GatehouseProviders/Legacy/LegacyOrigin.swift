package import GatehouseWire

/// The system that a credential is from, as one app has set it.
package struct LegacyOrigin: Sendable {
    package let app: AppID
    package let source: String
    package let kind: LegacySourceKind
    package let settings: LegacySettings
    /// The secret key of the old system, if the operator has given it.
    package let key: ProviderToken?

    package init(app: AppID, source: String, kind: LegacySourceKind, settings: LegacySettings, key: ProviderToken?) {
        self.app = app
        self.source = source
        self.kind = kind
        self.settings = settings
        self.key = key
    }

    /// Calls to the system have a circuit breaker of their own, as those to identity providers have.
    var share: ProviderGateway.Share { .init(app: app, provider: Provider("import/\(source)")) }

    /// What is particular about its credentials.
    var description: LegacyDescription { settings.isGatehouse ?? false ? .gatehouse : kind.description }

    func place(_ url: String) -> String { CallValues.place(url, at: settings.origin) }
}
