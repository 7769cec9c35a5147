import GatehouseWire

/// The keys of a source. They are stored sealed, and erased when the source is closed.
struct LegacySecrets: Sendable, Codable {
    let hashKey: LegacyHashKey
    /// The old system's key, with which it signs tokens or lets its server ask.
    var key: ProviderToken?
}
