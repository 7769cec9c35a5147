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

/// What an operator has done to an app, or to the whole server. What an operator's action does has the action's name.
enum AppEvent: String, Sendable, Hashable, CaseIterable {
    case created = "app.created"
    case renamed = "app.renamed"
    case statusSet = "status.set"
    case serviceTerminated = "status.terminated"
    case maintenancePlanned = "maintenance.planned"
    case maintenanceChanged = "maintenance.changed"
    case maintenanceEnded = "maintenance.ended"
    case limitsSet = "limits.set"
    case policySet = "accounts.set"
    case transferPolicySet = "transfer-policy.set"
    case secretCreated = "secret.created"
    case secretRevoked = "secret.revoked"
    case oldSecretsRevoked = "secret.revoked-old"
    case keyRotated = "key.rotated"
    case keysRevoked = "key.rotated-revoking"
    case clientRuleAdded = "client-rule.added"
    case clientRuleChanged = "client-rule.changed"
    case clientRuleRemoved = "client-rule.removed"
    case clientRuleMoved = "client-rule.moved"
    case testDeviceAdded = "test-device.added"
    case testDeviceRemoved = "test-device.removed"
    case providerSet = "provider.saved"
    case providerEnabled = "provider.enabled"
    case providerDisabled = "provider.disabled"
    case legacySourceSet = "app.legacy-source-set"
    case legacySourceClosed = "app.legacy-source-closed"
    case importBegun = "app.import-begun"
    /// An export of all members has begun.
    case membersExported = "app.members-exported"
    case importUndone = "app.import-undone"
    /// A tenth of the wrong device ids that an app may get in an hour has come.
    case legacyGuesses = "app.legacy-guesses"
    case banTemplateAdded = "template.created"
    case banTemplateChanged = "template.edited"
    case banTemplateArchived = "template.archived"
    case banTemplateRestored = "template.restored"
    case replyAdded = "reply.added"
    case replyChanged = "reply.changed"
    case replyRemoved = "reply.removed"
    case alertReceiverAdded = "alert-receiver.added"
    case alertReceiverChanged = "alert-receiver.changed"
    case alertReceiverRemoved = "alert-receiver.removed"
    case alertReceiverTested = "alert-receiver.tested"
    case jobRetried = "job.retried"
    case jobsRetried = "jobs.retried"
    case jobGivenUp = "job.given-up"
    /// The sessions of all members have ended.
    case everyoneKickedOut = "kick-out.everyone"
    // A note is about a member, and changes nothing of the account.
    case memberNoted = "member.noted"
    case noteEdited = "member.note-edited"
    case notePinned = "member.note-pinned"
}

/// What the entries of a member's page are about. Each entry has one kind. Refused calls and notes have no events in the ledger.
package enum TimelineKind: String, Sendable, CaseIterable {
    case identities, conflicts, sessions, bans, withdrawals, transfers, reports, refusals, notes

    /// The kind of an entry of the ledger; nil for an event that a later version has added.
    init?(of event: EventName) {
        guard let kind = Self.allCases.first(where: { $0.events.contains(event) }) else { return nil }
        self = kind
    }

    /// The events of the ledger.
    var events: [EventName] {
        switch self {
        case .identities:
            [
                .memberCreated, .memberRestored, .memberFrozen, .restoreWindowClosed, .mappingAdded, .mappingRemoved,
                .mappingMovedHere, .mappingMovedAway, .mappingConflict, .profileRead, .exported, .memberImported,
                .legacyClaimed,
                .legacyReleased, .importUndone,
            ]
        case .sessions:
            [
                .loggedIn, .sessionEnded, .sessionEndedElsewhere, .otherSessionsEnded, .kickedOut, .sessionKickedOut,
            ]
        case .bans:
            [.banned, .banChanged, .banReleased, .banExpired, .graceBanned, .graceBanReleased, .paymentReported]
        case .withdrawals:
            [.withdrawalRequested, .withdrawalCancelled, .withdrawn]
        case .transfers:
            [
                .transferIssued, .transferRenewed, .transferBlocked, .transferUnblocked, .transferReissued,
                .transferVoided, .transferRedeemed,
            ]
        case .reports: [.providerSignal, .tokensRevoked, .tokensNotRevoked]
        case .conflicts, .refusals, .notes: []
        }
    }
}
