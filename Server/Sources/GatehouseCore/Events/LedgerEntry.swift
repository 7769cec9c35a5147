import GatehouseSecurity
public import GatehouseWire

/// One entry of the ledger.
public struct LedgerEntry: Sendable, Hashable {
    public let id: String
    public let user: UserID
    public let event: EventName
    public let origin: Origin
    /// Ids and names of identity providers.
    public let details: [String: String]
    /// Milliseconds since 1970, UTC.
    public let date: Int64
}
