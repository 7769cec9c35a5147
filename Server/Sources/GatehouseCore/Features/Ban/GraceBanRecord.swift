public import GatehouseSecurity
public import GatehouseWire

/// A grace ban for operators, with the member's progress.
public struct GraceBanRecord: Sendable, Hashable {
    public let id: String
    public let user: UserID
    public let graceBan: GraceBan
    public let beginsAt: Moment
    public let registeredBy: String
    /// `released` or `banned`; nil while it is in effect, and if the member no longer exists.
    public let outcome: String?
    public let endedAt: Moment?
    /// Whether it is in effect now.
    public let isOpen: Bool
}
