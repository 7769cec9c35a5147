public import GatehouseSecurity
public import GatehouseStorage
public import GatehouseWire

// The identifiers of the contract are stored as their raw values.
extension AppID: SQLConvertible {}
extension UserID: SQLConvertible {}
extension SessionID: SQLConvertible {}
extension KeyThumbprint: SQLConvertible {}
extension KeyProtection: SQLConvertible {}
extension Provider: SQLConvertible {}
extension MemberStatus: SQLConvertible {}
extension LaunchingStatus: SQLConvertible {}
extension SessionEnd: SQLConvertible {}
extension BanType: SQLConvertible {}
extension ConditionType: SQLConvertible {}
extension ErrorReason: SQLConvertible {}
extension TransferIssue: SQLConvertible {}

extension Moment: SQLConvertible {
    public var sqlValue: SQLValue { .integer(milliseconds) }
    public init(sqlValue: SQLValue) throws { self.init(milliseconds: try Int64(sqlValue: sqlValue)) }
}
