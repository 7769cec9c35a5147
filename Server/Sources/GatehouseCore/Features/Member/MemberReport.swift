public import GatehouseWire

/// A member's data for an operator.
public struct MemberReport: Sendable {
    public let member: Member
    public let ban: BanRecord?
    /// The end of the time during which a missing member can be restored, in milliseconds since 1970, UTC.
    public let restorableUntilDate: Int64?
    /// The identity providers that a missing member can be restored with.
    public let formerProviders: [Provider]
}
