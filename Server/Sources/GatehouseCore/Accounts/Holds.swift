import GatehouseSecurity
import GatehouseWire

/// What holds a member: its restrictions and its pending deadlines. This is what the core knows of bans outside of their feature;
/// ``HoldRules`` says it to players.
struct Holds: Sendable, Hashable {
    /// The end of the grace period of a pending withdrawal.
    var withdrawsAt: Moment?
    var ban: Hold?
    var graceBan: Hold?
    /// The end of the time during which a member without identities can be restored.
    var restorableUntil: Moment?

    struct Hold: Sendable, Hashable {
        let id: String
        /// Nil if it doesn't end.
        let endsAt: Moment?
    }

    /// The status of a member that is neither withdrawn nor missing.
    var status: MemberStatus {
        if ban != nil { return .banned }
        if withdrawsAt != nil { return .pendingWithdrawal }
        return graceBan == nil ? .normal : .graceBanned
    }

    /// The next deadline at which a member of this status changes. Nothing happens to one that is gone but the end of its restore window.
    func dueAt(as status: MemberStatus) -> Moment? {
        guard !status.isGone else { return restorableUntil }
        return [withdrawsAt, ban?.endsAt, graceBan?.endsAt, restorableUntil].compactMap { $0 }.min()
    }
}
