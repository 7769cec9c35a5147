import GatehouseProviders
import GatehouseWire

/// A job's parameters for revoking tokens.
struct RevocationPayload: Sendable, Codable {
    let provider: Provider
    let user: UserID
    let tokens: IdentityTokens
}
