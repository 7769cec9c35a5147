/// What entries of a member's ledger are about.
package enum TimelineKind: String, Sendable, CaseIterable {
    case identities, sessions, bans, withdrawals, transfers, reports

    var events: [EventName] {
        switch self {
        case .identities:
            [
                .memberCreated, .memberRestored, .memberFrozen, .restoreWindowClosed, .mappingAdded, .mappingRemoved,
                .mappingMovedHere, .mappingMovedAway, .mappingConflict, .profileRead, .exported,
            ]
        case .sessions:
            [
                .loggedIn, .sessionEnded, .sessionEndedElsewhere, .otherSessionsEnded, .kickedOut, .sessionKickedOut,
            ]
        case .bans:
            [.banned, .banChanged, .banReleased, .banExpired, .graceBanned, .graceBanReleased, .paymentReported]
        case .withdrawals:
            [.withdrawalRequested, .withdrawalCancelled, .withdrawn, .tokensRevoked, .tokensNotRevoked]
        case .transfers:
            [
                .transferIssued, .transferRenewed, .transferBlocked, .transferUnblocked, .transferReissued,
                .transferVoided, .transferRedeemed,
            ]
        case .reports: [.providerSignal]
        }
    }
}
