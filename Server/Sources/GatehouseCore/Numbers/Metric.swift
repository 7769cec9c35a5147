import GatehouseWire

/// What is counted. The raw values are stored.
package enum Metric: String, Sendable, Hashable, CaseIterable {
    /// The first logins of identities, by identity provider, and guests whom the game's own server has brought. An import's members are
    /// none.
    case newMember = "login.new"
    case returningLogin = "login.returning"
    /// Logins that were refused, by error code.
    case refusedLogin = "login.refused"
    /// Logins that were refused because their identity provider could not be asked, by provider.
    case providerFailed = "provider.failed"

    /// Members who were there on a day: `guest` for those whom only a device's guest identity leads back, else `linked`.
    case activeMember = "member.active"
    /// By how much the number of members who were there within thirty days differs from that of the day before. Only by day.
    case activeChange = "member.active-30-change"

    /// Guests that got their first identity of a provider, by provider.
    case guestLinked = "guest.linked"
    case mappingConflict = "mapping.conflict"
    /// Conflicts that ended with a forced mapping, and with a login as the other member, by provider.
    case mappingForced = "mapping.forced"
    case loginChanged = "mapping.login-changed"

    case banBegun = "ban.begun"
    case banReleased = "ban.released"
    case banExpired = "ban.expired"
    case withdrawalAsked = "withdrawal.asked"
    case withdrawalCancelled = "withdrawal.cancelled"
    case withdrawalDone = "withdrawal.done"
    case transferIssued = "transfer.issued"
    case transferRedeemed = "transfer.redeemed"
    case transferBlocked = "transfer.blocked"
}

extension AccountEvent {
    /// What the event adds to, with the provider that it concerns.
    var metrics: [(metric: Metric, provider: Provider?)] {
        switch self {
        case .memberCreated(let provider, _): [(.newMember, provider)]
        case .loggedIn(let provider, _): [(.returningLogin, provider)]
        case .memberImported(_, let asNewGuest): asNewGuest ? [(.newMember, .guest)] : []
        case .mappingAdded(let provider, let endsGuest): endsGuest ? [(.guestLinked, provider)] : []
        case .mappingMovedHere(let provider, _, let endsGuest):
            [(.mappingForced, provider)] + (endsGuest ? [(.guestLinked, provider)] : [])
        case .mappingConflict(let provider): [(.mappingConflict, provider)]
        case .transferIssued: [(.transferIssued, nil)]
        case .transferRedeemed: [(.transferRedeemed, nil)]
        case .transferBlocked: [(.transferBlocked, nil)]
        case .withdrawalRequested: [(.withdrawalAsked, nil)]
        case .withdrawalCancelled: [(.withdrawalCancelled, nil)]
        case .withdrawn: [(.withdrawalDone, nil)]
        case .banned: [(.banBegun, nil)]
        case .banReleased: [(.banReleased, nil)]
        case .banExpired: [(.banExpired, nil)]
        case .loggedOut, .sessionEndedElsewhere, .otherSessionsEnded, .profileRead, .exported, .memberRestored,
            .memberFrozen, .restoreWindowClosed, .mappingRemoved, .mappingMovedAway, .transferRenewed,
            .transferUnblocked,
            .transferReissued, .transferVoided, .banChanged, .graceBanned, .graceBanReleased, .paymentReported,
            .kickedOut, .sessionKickedOut, .providerSignal, .tokensRevoked, .tokensNotRevoked,
            .legacyClaimed, .legacyReleased, .importUndone:
            []
        }
    }
}
