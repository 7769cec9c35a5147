import Foundation
import GatehouseStorage
public import GatehouseWire

/// The identity ledger: what happened to an account, who did it, when, why and by which door. Written in the transaction of
/// what it tells, and never changed. It names members and identity providers and nothing personal: it outlives withdrawals.
/// Moderation and withdrawals are written to the audit log as well, which is over all members.
enum LedgerRules {
    static func append(
        _ event: LedgerEvent, of user: UserID, _ details: [String: String] = [:], _ change: Change, in tx: Transaction
    ) throws {
        let entry = LedgerEntry(
            id: TimeOrderedID.entry(at: change.moment, random: change.random), user: user, event: event,
            origin: change.origin, details: details, date: change.moment.milliseconds)
        try LedgerQueries.insert(entry, app: change.app.id, in: tx)
        if let name = event.auditEvent { try AuditRules.append(name, of: user, details, change, in: tx) }
    }

    static func history(of user: UserID, app: AppID, in tx: Transaction) throws -> [LedgerEntry] {
        try LedgerQueries.entries(of: user, app: app, in: tx)
    }

    /// The steps of withdrawals over all members, with exactly these details if any are given.
    static func withdrawals(
        of app: AppID, event: LedgerEvent, details: [String: String]?, in period: Period, _ page: Page,
        in tx: Transaction
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
    /// Ids and names of providers.
    public let details: [String: String]
    /// Milliseconds since 1970, UTC.
    public let date: Int64
}

/// What the ledger tells of. An open set: entries outlive versions.
public struct LedgerEvent: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    static let memberCreated = LedgerEvent("member.created")
    static let memberRestored = LedgerEvent("member.restored")
    /// The last identity is gone: frozen, and restorable for a while.
    static let memberFrozen = LedgerEvent("member.frozen")
    static let restoreWindowClosed = LedgerEvent("member.restore-window-closed")
    static let mappingAdded = LedgerEvent("mapping.added")
    static let mappingRemoved = LedgerEvent("mapping.removed")
    /// By a ticket, from another member.
    static let mappingMovedHere = LedgerEvent("mapping.moved-here")
    static let mappingMovedAway = LedgerEvent("mapping.moved-away")
    static let transferIssued = LedgerEvent("transfer.issued")
    static let transferRenewed = LedgerEvent("transfer.renewed")
    static let transferBlocked = LedgerEvent("transfer.blocked")
    /// By an operator, as the next.
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
    /// An identity provider has reported that a person turned away there.
    static let providerSignal = LedgerEvent("idp.signal")
    static let tokensRevoked = LedgerEvent("idp-tokens.revoked")
    static let tokensNotRevoked = LedgerEvent("idp-tokens.not-revoked")
}
