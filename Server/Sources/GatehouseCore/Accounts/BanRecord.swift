public import GatehouseSecurity
public import GatehouseWire

/// A ban for operators.
public struct BanRecord: Sendable, Hashable {
    public let id: String
    public let user: UserID
    public let type: BanType
    public let beginsAt: Moment
    public let endsAt: Moment?
    public let templateCode: Int?
    let message: LocalizedText?
    public let reason: String
    public let flags: String?
    /// `CONSOLE`, `APP_SERVER` or `SYSTEM`.
    public let caller: String
    public let registeredBy: String
    public let release: Release?

    public struct Release: Sendable, Hashable {
        public let at: Moment
        public let caller: String
        public let reason: String
        public let by: String
    }
}
