package import GatehouseWire

/// The tokens of a login that a provider has issued: in exchange for a code, or to the game, which sends them.
package struct IssuedTokens: Sendable {
    package var idToken: ProviderToken?
    package var accessToken: ProviderToken?
    package var refreshToken: ProviderToken?
}
