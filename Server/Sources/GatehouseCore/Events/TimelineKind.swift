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
