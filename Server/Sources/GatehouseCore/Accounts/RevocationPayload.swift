import GatehouseProviders
import GatehouseWire

/// A job's parameters for revoking tokens.
struct RevocationPayload: JobPayload {
    let provider: Provider
    let user: UserID
    let tokens: IdentityTokens

    var lane: String { provider.rawValue }
}
