import GatehouseJSON
import GatehouseSecurity
import GatehouseWire

/// A call that turns a lasting credential into a token, which is then verified like one that a device shows.
struct LegacyTokenCall: Sendable {
    let request: @Sendable (LegacyCredential, _ key: ProviderToken) -> OutgoingRequest
    /// Reads the token of an answer, whatever its status.
    let token: @Sendable (StrictJSON.Value) throws(IdentityFailure) -> ProviderToken
}

/// A call that has to come before another one: its answer has the key for it.
struct LegacyKeyCall: Sendable {
    let request: @Sendable (LegacySettings, _ key: ProviderToken) -> OutgoingRequest
    /// Reads the key of an answer, whatever its status.
    let key: @Sendable (StrictJSON.Value) throws(IdentityFailure) -> ProviderToken
}

/// A question to the old system itself, about a credential that it alone can check.
struct LegacyCall: Sendable {
    /// The request; nil for a credential that lacks something, or a source without the secret of the old system's server.
    let request: @Sendable (LegacyCredential, LegacySettings, _ key: ProviderToken) -> OutgoingRequest?
    /// Reads the person of an answer, whatever its status.
    let person: @Sendable (_ status: Int, StrictJSON.Value) throws(IdentityFailure) -> LegacyPerson
    /// What gives the key, where it is not the operator's own.
    var before: LegacyKeyCall?
    /// Whether the credential is one that a first device keeps: a password that a player types is not.
    var isBound = true
}
