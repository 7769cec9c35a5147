import GatehouseStorage
import GatehouseWire

/// The durable audit log: moderation, administration and withdrawals, through any interface. Each record is written in the transaction
/// of the event. Players' actions are in the ledger, and refusals only in the log: neither adds a row here.
enum AuditRules {
    static func append(
        _ event: String, of user: UserID? = nil, _ details: [String: String] = [:], _ change: Change,
        in tx: Draft
    ) throws {
        try append(
            event, app: change.app.id, user: user, details, by: change.origin, at: change.moment,
            random: change.random, in: tx)
    }

    /// Appends a record of an event that changes no account.
    static func append(
        _ event: String, app: AppID?, user: UserID? = nil, _ details: [String: String] = [:], by origin: Origin,
        at moment: Moment, random: RandomSource, in tx: Draft
    ) throws {
        try AuditQueries.insert(
            AuditRecord(
                id: TimeOrderedID.entry(at: moment, random: random), event: event, app: app, user: user,
                origin: origin, details: details, date: moment.milliseconds), in: tx)
    }

    /// A page of records in chronological order.
    static func records(
        after id: String, by door: Origin.Door? = nil, limit: Int, in tx: Reader
    ) throws -> [AuditRecord] {
        try AuditQueries.records(after: id, by: door, limit: limit, in: tx)
    }

    /// A bound below the ids of all records at this moment or later.
    static func beginning(at moment: Moment) -> String {
        TimeOrderedID.firstSession(at: moment).rawValue
    }
}

extension LedgerEvent {
    /// The event's name in the audit log; nil for an event that is only in the member's ledger.
    var auditEvent: String? {
        switch self {
        case .withdrawn: "member.withdrawn"
        case .banned: "member.banned"
        case .graceBanned: "member.grace-banned"
        case .withdrawalRequested, .withdrawalCancelled, .banReleased, .banExpired, .graceBanReleased, .kickedOut,
            .memberRestored, .restoreWindowClosed, .transferUnblocked, .transferReissued:
            rawValue
        default: nil
        }
    }
}
