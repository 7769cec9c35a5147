import Foundation
import GatehouseStorage
public import GatehouseWire

/// The identity ledger: what happened to an account, who did it, when, why, and through which interface. An entry is written in the
/// transaction of the event and never changed. The ledger outlives withdrawals, so it contains ids of members and names of identity
/// providers but no personal data. Moderation and withdrawals are also written to the audit log, which covers all members.
enum LedgerRules {
    static func append(
        _ event: LedgerEvent, of user: UserID, _ details: [String: String] = [:], _ change: Change, in tx: Draft
    ) throws {
        let entry = LedgerEntry(
            id: TimeOrderedID.entry(at: change.moment, random: change.random), user: user, event: event,
            origin: change.origin, details: details, date: change.moment.milliseconds)
        try LedgerQueries.insert(entry, app: change.app.id, in: tx)
        if let name = event.auditEvent { try AuditRules.append(name, of: user, details, change, in: tx) }
    }

    static func history(of user: UserID, app: AppID, in tx: Reader) throws -> [LedgerEntry] {
        try LedgerQueries.entries(of: user, app: app, in: tx)
    }

    /// The steps of withdrawals over all members, optionally only those with exactly these details.
    static func withdrawals(
        of app: AppID, event: LedgerEvent, details: [String: String]?, in period: Period, _ page: Page,
        in tx: Reader
    ) throws -> Paged<LedgerEntry> {
        try LedgerQueries.withdrawals(of: app, event: event, details: details, in: period, page, in: tx)
    }
}

/// One entry of the ledger.
public struct LedgerEntry: Sendable, Hashable {
    public let id: String
    public let user: UserID
    public let event: LedgerEvent
    public let origin: Origin
    /// Ids and names of identity providers.
    public let details: [String: String]
    /// Milliseconds since 1970, UTC.
    public let date: Int64
}

/// The kinds of ledger entries. An open set, because entries outlive versions.
public struct LedgerEvent: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    static let memberCreated = LedgerEvent("member.created")
    static let memberRestored = LedgerEvent("member.restored")
    /// The member's last identity is gone: it is frozen, and can be restored for a limited time.
    static let memberFrozen = LedgerEvent("member.frozen")
    static let restoreWindowClosed = LedgerEvent("member.restore-window-closed")
    static let mappingAdded = LedgerEvent("mapping.added")
    static let mappingRemoved = LedgerEvent("mapping.removed")
    /// An identity was moved from another member with a ticket.
    static let mappingMovedHere = LedgerEvent("mapping.moved-here")
    static let mappingMovedAway = LedgerEvent("mapping.moved-away")
    static let transferIssued = LedgerEvent("transfer.issued")
    static let transferRenewed = LedgerEvent("transfer.renewed")
    static let transferBlocked = LedgerEvent("transfer.blocked")
    /// An operator's action, like the next one.
    static let transferUnblocked = LedgerEvent("transfer.unblocked")
    static let transferReissued = LedgerEvent("transfer.reissued")
    static let transferRedeemed = LedgerEvent("transfer.redeemed")
    static let withdrawalRequested = LedgerEvent("withdrawal.requested")
    static let withdrawalCancelled = LedgerEvent("withdrawal.cancelled")
    static let withdrawn = LedgerEvent("withdrawal.done")
    static let banned = LedgerEvent("ban.begun")
    static let banReleased = LedgerEvent("ban.released")
    static let banExpired = LedgerEvent("ban.expired")
    static let graceBanned = LedgerEvent("grace-ban.begun")
    static let graceBanReleased = LedgerEvent("grace-ban.released")
    static let kickedOut = LedgerEvent("sessions.kicked-out")
    /// An identity provider has reported that a person has revoked the consent there.
    static let providerSignal = LedgerEvent("idp.signal")
    static let tokensRevoked = LedgerEvent("idp-tokens.revoked")
    static let tokensNotRevoked = LedgerEvent("idp-tokens.not-revoked")
}
