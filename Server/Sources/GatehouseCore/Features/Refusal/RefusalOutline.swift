import GatehouseSecurity
import GatehouseWire

/// What the filters and the groups of refused calls look at. Most of a call's row is not read for them.
struct RefusalOutline: Sendable {
    let id: String
    let code: ErrorCode
    let provider: Provider?
    let user: UserID?
    let date: Moment
    /// Nil if nobody looks at it, as the next.
    let call: String?
    let client: String?
}
