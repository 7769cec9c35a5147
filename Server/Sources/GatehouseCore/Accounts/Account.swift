import GatehouseSecurity
import GatehouseWire

/// A member as the rules use it.
struct Account: Sendable, Hashable {
    let app: AppID
    let user: UserID
    /// The status as of the last change. `Y` means no holds; for any other status, see ``holds``.
    var status: MemberStatus
    let registrationDate: Int64
    var lastLoginDate: Int64
    /// The number of changes of this member. A decision based on one version is written to that version or not at all.
    var version: Int64
    /// A session is valid only in the generation in which it was opened.
    let generation: Int64
    var mappings: [Mapping]
    /// The number of each mapping's link. A session is valid only as long as the link with which it was opened.
    var links: [Provider: Int64] = [:]
    /// The last day on which a player of the member was there, in days since 1970, UTC.
    var activeDay: Int64 = 0
    /// Read only if ``status`` requires it.
    var holds = Holds()

    /// Whether this is a pure guest. Only pure guests have a guest identity, because the first mapping ends it (MAP-4).
    var isPureGuest: Bool { mappings.contains { $0.provider == .guest } }

    func has(_ provider: Provider) -> Bool { mappings.contains { $0.provider == provider } }

    /// The number of a link made with the next change of this version. It is greater than that of an earlier link of the same identity
    /// provider, because removing that one was a change.
    var nextLink: Int64 { version + 1 }

    var summary: MemberSummary {
        MemberSummary(
            registrationDate: registrationDate, lastLoginDate: lastLoginDate, providers: mappings.map(\.provider))
    }

    var isGone: Bool { status.isGone }

    /// Whether the member has changed by the passage of time since it was written: a deadline has passed, or a ban has ended.
    func hasLapsed(at moment: Moment) -> Bool {
        guard !isGone else { return false }
        let ends = [holds.withdrawsAt, holds.ban?.endsAt, holds.graceBan?.endsAt].compactMap { $0 }
        return ends.contains { $0 <= moment }
    }

    /// Whether the member has withdrawn, or the grace period of its withdrawal has passed.
    func hasWithdrawn(at moment: Moment) -> Bool {
        status == .withdrawn || holds.withdrawsAt.map { $0 <= moment } ?? false
    }

    func isBanned(at moment: Moment) -> Bool {
        if let ban = holds.ban { return ban.endsAt.map { moment < $0 } ?? true }
        guard let graceEnd = holds.graceBan?.endsAt else { return false }
        return graceEnd <= moment
    }
}

extension MemberStatus {
    /// Whether nobody can log in as a member of this status.
    var isGone: Bool { self == .withdrawn || self == .missing }
}
