import GatehouseStorage
import GatehouseWire

/// The durable audit log: moderation, administration and withdrawals, by whatever door. Each record is written in the
/// transaction of what it tells. What players do in their games is in the ledger, and what was refused in the log alone: neither
/// costs a row here.
enum AuditRules {
    static func append(
        _ event: String, of user: UserID? = nil, _ details: [String: String] = [:], _ change: Change,
        in tx: Transaction
    ) throws {
        try append(
            event, app: change.app.id, user: user, details, by: change.origin, at: change.moment,
            random: change.random, in: tx)
    }

    /// For what changes no account.
    static func append(
        _ event: String, app: AppID?, user: UserID? = nil, _ details: [String: String] = [:], by origin: Origin,
        at moment: Moment, random: RandomSource, in tx: Transaction
    ) throws {
        try AuditQueries.insert(
            AuditRecord(
                id: TimeOrderedID.entry(at: moment, random: random), event: event, app: app, user: user,
                origin: origin, details: details, date: moment.milliseconds), in: tx)
    }

    /// Records in the order of time, a page of them.
    static func records(
        after id: String, by door: Origin.Door? = nil, limit: Int, in tx: Transaction
    ) throws -> [AuditRecord] {
        try AuditQueries.records(after: id, by: door, limit: limit, in: tx)
    }

    /// What every record of this moment or later is greater than.
    static func beginning(at moment: Moment) -> String {
        TimeOrderedID.firstSession(at: moment).rawValue
    }
}

extension LedgerEvent {
    /// Its name in the audit log; nil for what only the member's ledger tells.
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
