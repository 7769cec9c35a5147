public import GatehouseWire

/// The name of an event, in the ledger, the audit log and the audit lines. An open set, because entries outlive versions.
public struct EventName: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    static let memberCreated = EventName("member.created")
    static let loggedIn = EventName("member.logged-in")
    static let memberRestored = EventName("member.restored")
    static let memberFrozen = EventName("member.frozen")
    static let restoreWindowClosed = EventName("member.restore-window-closed")
    static let sessionEnded = EventName("session.ended")
    static let sessionEndedElsewhere = EventName("session.ended-elsewhere")
    static let otherSessionsEnded = EventName("sessions.others-ended")
    static let profileRead = EventName("profile.read")
    static let exported = EventName("member.exported")
    static let mappingAdded = EventName("mapping.added")
    static let mappingRemoved = EventName("mapping.removed")
    static let mappingMovedHere = EventName("mapping.moved-here")
    static let mappingMovedAway = EventName("mapping.moved-away")
    static let mappingConflict = EventName("mapping.conflict")
    static let transferIssued = EventName("transfer.issued")
    static let transferRenewed = EventName("transfer.renewed")
    static let transferBlocked = EventName("transfer.blocked")
    static let transferUnblocked = EventName("transfer.unblocked")
    static let transferReissued = EventName("transfer.reissued")
    static let transferVoided = EventName("transfer.voided")
    static let transferRedeemed = EventName("transfer.redeemed")
    static let withdrawalRequested = EventName("withdrawal.requested")
    static let withdrawalCancelled = EventName("withdrawal.cancelled")
    static let withdrawn = EventName("member.withdrawn")
    static let banned = EventName("member.banned")
    static let banChanged = EventName("ban.changed")
    static let banReleased = EventName("ban.released")
    static let banExpired = EventName("ban.expired")
    static let graceBanned = EventName("grace-ban.begun")
    static let graceBanReleased = EventName("grace-ban.released")
    static let paymentReported = EventName("payment.reported")
    static let kickedOut = EventName("member.kicked-out")
    static let sessionKickedOut = EventName("session.kicked-out")
    static let providerSignal = EventName("provider.signal")
    static let tokensRevoked = EventName("idp-tokens.revoked")
    static let tokensNotRevoked = EventName("idp-tokens.not-revoked")
    static let memberImported = EventName("member.imported")
    static let legacyClaimed = EventName("legacy.claimed")
    static let legacyReleased = EventName("legacy.released")
    static let importUndone = EventName("import.undone")
}

extension EventName {
    /// The name in the rows of the ledger, where four events keep the names of earlier versions.
    var stored: String { Self.formerNames[self] ?? rawValue }

    /// The event of a row of the ledger.
    init(stored name: String) {
        self = Self.formerNames.first { $0.value == name }?.key ?? EventName(name)
    }

    private static let formerNames: [EventName: String] = [
        .withdrawn: "withdrawal.done", .banned: "ban.begun", .kickedOut: "sessions.kicked-out",
        .providerSignal: "idp.signal",
    ]
}
