import GatehouseWire

/// A member as the rules see it.
struct Account: Sendable, Hashable {
    let app: AppID
    let user: UserID
    /// The letter as of the last change. `Y` says that there are no ``holds``; with every other letter they tell more.
    var status: MemberStatus
    let registrationDate: Int64
    var lastLoginDate: Int64
    /// Counts the changes of this member's life: what is decided on one version is written on that one, or not at all.
    var version: Int64
    /// A session lives in the generation that it was opened in.
    let generation: Int64
    var mappings: [Mapping]
    /// The number of each mapping's link. A session lives as long as the link that it was opened with.
    var links: [Provider: Int64] = [:]
    /// Read when ``status`` asks for it.
    var holds = Holds()

    /// A pure guest has its guest identity, and nobody else has one: the first mapping ends it (MAP-4).
    var isPureGuest: Bool { mappings.contains { $0.provider == .guest } }

    func has(_ provider: Provider) -> Bool { mappings.contains { $0.provider == provider } }

    /// The number of a link that is made with the next change of this version. It grows from one link of an identity provider to
    /// the next, because the one before had to be removed by a change.
    var nextLink: Int64 { version + 1 }

    var summary: MemberSummary {
        MemberSummary(
            registrationDate: registrationDate, lastLoginDate: lastLoginDate, providers: mappings.map(\.provider))
    }

    var isGone: Bool { status == .withdrawn || status == .missing }

    /// Whether time has changed the member since it was written: what was pending has come, or a ban has ended.
    func hasLapsed(at moment: Moment) -> Bool {
        guard !isGone else { return false }
        let ends = [holds.withdrawsAt, holds.ban?.endsAt, holds.graceBan?.endsAt].compactMap { $0 }
        return ends.contains { $0 <= moment }
    }

    func isBanned(at moment: Moment) -> Bool {
        if let ban = holds.ban { return ban.endsAt.map { moment < $0 } ?? true }
        guard let graceEnd = holds.graceBan?.endsAt else { return false }
        return graceEnd <= moment
    }
}

/// What holds a member back, or waits for it.
struct Holds: Sendable, Hashable {
    /// The end of the grace period of a pending withdrawal.
    var withdrawsAt: Moment?
    var ban: Hold?
    var graceBan: Hold?
    /// Until when a member whose last identity is gone can be restored.
    var restorableUntil: Moment?

    struct Hold: Sendable, Hashable {
        let id: String
        /// None for ever.
        let endsAt: Moment?
    }

    /// The letter of a member that is neither withdrawn nor missing.
    var status: MemberStatus {
        if ban != nil { return .banned }
        if withdrawsAt != nil { return .pendingWithdrawal }
        return graceBan == nil ? .normal : .graceBanned
    }

    /// The next moment at which time changes the member.
    var dueAt: Moment? {
        [withdrawsAt, ban?.endsAt, graceBan?.endsAt, restorableUntil].compactMap { $0 }.min()
    }
}

/// Why all sessions of a member ended.
struct SessionsEnd: Sendable, Hashable {
    let reason: ErrorReason
    /// What players read, by language.
    var message: LocalizedText?
}

/// Thrown by a rule that meets a member whom time has changed: the change is made first, and then the rule runs anew
/// (``AccountWriter``).
struct LapsedMember: Error {
    let app: AppID
    let user: UserID
}
