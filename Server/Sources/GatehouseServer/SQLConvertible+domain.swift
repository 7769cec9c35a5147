public import GatehouseStorage
public import GatehouseWire

// How the identifiers of the contract are stored: as their raw values.
extension AppID: SQLConvertible {}
extension UserID: SQLConvertible {}
extension SessionID: SQLConvertible {}
extension KeyThumbprint: SQLConvertible {}
extension Provider: SQLConvertible {}
extension MemberStatus: SQLConvertible {}
extension LaunchingStatus: SQLConvertible {}
extension SessionEnd: SQLConvertible {}
