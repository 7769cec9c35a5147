package import GatehouseWire

/// Why an identity provider could not be asked. The only part of the request that it contains is the host.
package struct ProviderOutage: Sendable, Hashable {
    package let app: AppID
    package let provider: Provider
    package let host: String
    package let cause: String
}
