import GatehouseWire

/// A job's parameters for deleting the profiles of a provider for which the operator has disabled them.
struct ForgetProfilesPayload: JobPayload {
    let provider: Provider
    /// The member that an earlier job has reached.
    var after: UserID?

    var lane: String { "forget \(provider.rawValue)" }
}
