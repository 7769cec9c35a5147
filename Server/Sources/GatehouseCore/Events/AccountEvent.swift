package import GatehouseProviders
package import GatehouseSecurity
package import GatehouseWire

/// What happened to an account. Rules emit it, and ``Change/record(_:of:in:)`` turns it into the ledger's entry and the record of the
/// audit log; ``EventReporter`` makes the audit line and the metric. So every part of the system uses the same word for the same event.
package enum AccountEvent: Sendable, Hashable {
    case memberCreated(Provider, SessionID)
    /// A member has logged in again. The account does not change.
    case loggedIn(Provider, SessionID)
    /// A player has logged out. The account does not change.
    case loggedOut(SessionID)
    /// A player has ended another session of the account.
    case sessionEndedElsewhere(SessionID)
    /// A player has ended all other sessions of the account.
    case otherSessionsEnded
    /// The provider's profile of a member was read by a game server. The account does not change.
    case profileRead(Provider)
    /// Everything that is stored about the member was exported for the person. The account does not change.
    case exported

    /// An operator has restored the member with this identity.
    case memberRestored(Provider)
    /// The member's last identity is gone: it is frozen, and can be restored for a limited time.
    case memberFrozen(without: Provider, ErrorReason)
    case restoreWindowClosed

    case mappingAdded(Provider, endsGuest: Bool)
    case mappingRemoved(Provider)
    /// An identity was moved from another member with a ticket.
    case mappingMovedHere(Provider, from: UserID, endsGuest: Bool)
    case mappingMovedAway(Provider, to: UserID)
    /// The identity belongs to another member, and the player has received a ticket. The account does not change.
    case mappingConflict(Provider)

    case transferIssued(isKey: Bool)
    case transferRenewed
    case transferBlocked(attempts: Int)
    /// An operator's action, like the next two.
    case transferUnblocked
    case transferReissued
    case transferVoided
    case transferRedeemed

    case withdrawalRequested(end: Moment)
    case withdrawalCancelled
    case withdrawn(WithdrawalEvent)

    case banned(id: String, BanType, template: Int?, end: Moment?)
    /// A ban got another end; nil for one without.
    case banChanged(id: String, end: Moment?)
    case banReleased(id: String)
    case banExpired(id: String)
    case graceBanned(id: String, end: Moment)
    case graceBanReleased(id: String)
    /// A game server has reported a payment. The account does not change, unless the payment releases a grace ban.
    case paymentReported
    case kickedOut
    /// An operator or a game server has ended one session of the member.
    case sessionKickedOut(SessionID)

    /// An identity provider has reported that a person has revoked the consent there, or deleted the account.
    case providerSignal(Provider, ProviderSignal.Kind, SignalPolicy.Action)
    case tokensRevoked(Provider)
    case tokensNotRevoked(Provider)

    /// The member has come from another system: by an import, or as a new guest of whom the game's own server has told.
    case memberImported(source: String, asNewGuest: Bool = false)
    /// A device has shown that its player is this member in another system, and uses this provider from now on.
    case legacyClaimed(source: String, Provider)
    /// An operator lets another device claim the member.
    case legacyReleased(source: String)
    /// An import that had brought the member was undone.
    case importUndone(source: String)
}

extension AccountEvent {
    var name: EventName {
        switch self {
        case .memberCreated: .memberCreated
        case .loggedIn: .loggedIn
        case .loggedOut: .sessionEnded
        case .sessionEndedElsewhere: .sessionEndedElsewhere
        case .otherSessionsEnded: .otherSessionsEnded
        case .profileRead: .profileRead
        case .exported: .exported
        case .memberRestored: .memberRestored
        case .memberFrozen: .memberFrozen
        case .restoreWindowClosed: .restoreWindowClosed
        case .mappingAdded: .mappingAdded
        case .mappingRemoved: .mappingRemoved
        case .mappingMovedHere: .mappingMovedHere
        case .mappingMovedAway: .mappingMovedAway
        case .mappingConflict: .mappingConflict
        case .transferIssued: .transferIssued
        case .transferRenewed: .transferRenewed
        case .transferBlocked: .transferBlocked
        case .transferUnblocked: .transferUnblocked
        case .transferReissued: .transferReissued
        case .transferVoided: .transferVoided
        case .transferRedeemed: .transferRedeemed
        case .withdrawalRequested: .withdrawalRequested
        case .withdrawalCancelled: .withdrawalCancelled
        case .withdrawn: .withdrawn
        case .banned: .banned
        case .banChanged: .banChanged
        case .banReleased: .banReleased
        case .banExpired: .banExpired
        case .graceBanned: .graceBanned
        case .graceBanReleased: .graceBanReleased
        case .paymentReported: .paymentReported
        case .kickedOut: .kickedOut
        case .sessionKickedOut: .sessionKickedOut
        case .providerSignal: .providerSignal
        case .tokensRevoked: .tokensRevoked
        case .tokensNotRevoked: .tokensNotRevoked
        case .memberImported: .memberImported
        case .legacyClaimed: .legacyClaimed
        case .legacyReleased: .legacyReleased
        case .importUndone: .importUndone
        }
    }

    /// Ids and names that are stored with the event. They identify no person.
    var details: [String: String] {
        switch self {
        case .memberCreated(let provider, _), .loggedIn(let provider, _), .profileRead(let provider),
            .memberRestored(let provider), .mappingRemoved(let provider), .mappingConflict(let provider),
            .tokensRevoked(let provider), .tokensNotRevoked(let provider):
            return ["idp": provider.rawValue]
        case .memberFrozen(let provider, let reason):
            return ["idp": provider.rawValue, "reason": reason.rawValue]
        case .mappingAdded(let provider, let endsGuest):
            return Self.mapping(provider, endsGuest: endsGuest)
        case .mappingMovedHere(let provider, let other, let endsGuest):
            return Self.mapping(provider, endsGuest: endsGuest).merging(["fromUserId": other.rawValue]) { $1 }
        case .mappingMovedAway(let provider, let other):
            return ["idp": provider.rawValue, "toUserId": other.rawValue]
        case .transferIssued(let isKey): return isKey ? ["form": "key"] : [:]
        case .transferBlocked(let attempts): return ["attempts": String(attempts)]
        case .withdrawalRequested(let end): return ["endDate": String(end.milliseconds)]
        case .withdrawn(let event): return ["event": event.rawValue]
        case .banned(let id, let type, let template, let end):
            var details = ["banId": id, "type": type.rawValue]
            details["templateCode"] = template.map { String($0) }
            details["endDate"] = end.map { String($0.milliseconds) }
            return details
        case .banChanged(let id, let end):
            var details = ["banId": id]
            details["endDate"] = end.map { String($0.milliseconds) }
            return details
        case .banReleased(let id), .banExpired(let id): return ["banId": id]
        case .graceBanned(let id, let end): return ["graceBanId": id, "endDate": String(end.milliseconds)]
        case .graceBanReleased(let id): return ["graceBanId": id]
        case .providerSignal(let provider, let kind, let action):
            return ["idp": provider.rawValue, "event": kind.rawValue, "action": action.rawValue]
        case .memberImported(let source, _), .legacyReleased(let source), .importUndone(let source):
            return ["source": source]
        case .legacyClaimed(let source, let provider): return ["source": source, "idp": provider.rawValue]
        case .loggedOut, .sessionEndedElsewhere, .otherSessionsEnded, .exported, .restoreWindowClosed,
            .transferRenewed, .transferUnblocked, .transferReissued, .transferVoided, .transferRedeemed,
            .withdrawalCancelled, .paymentReported, .kickedOut, .sessionKickedOut:
            return [:]
        }
    }

    private static func mapping(_ provider: Provider, endsGuest: Bool) -> [String: String] {
        endsGuest ? ["idp": provider.rawValue, "endsGuest": "true"] : ["idp": provider.rawValue]
    }

    /// What only the audit line contains: a session is deleted one day, and its id would be a part of every entry of the ledger.
    var loggedDetails: [String: String] {
        switch self {
        case .memberCreated(_, let session), .loggedIn(_, let session), .sessionEndedElsewhere(let session),
            .sessionKickedOut(let session):
            ["sessionId": session.rawValue]
        case .loggedOut(let session): ["sessionId": session.rawValue, "why": ErrorReason.loggedOut.rawValue]
        default: [:]
        }
    }

    /// Whether the event changes the account, and so has an entry in its ledger.
    var changesAccount: Bool {
        switch self {
        case .loggedIn, .loggedOut, .profileRead, .exported, .mappingConflict, .paymentReported: false
        default: true
        }
    }

    /// Whether the event is moderation, administration or a step of a withdrawal, and so has a record in the audit log, which covers all
    /// members. Players' own actions would fill that table.
    var isAudited: Bool {
        switch self {
        case .withdrawn, .withdrawalRequested, .withdrawalCancelled, .banned, .banChanged, .banReleased, .banExpired,
            .graceBanned, .graceBanReleased, .kickedOut, .sessionKickedOut, .memberRestored, .restoreWindowClosed,
            .transferUnblocked, .transferReissued, .transferVoided, .legacyReleased:
            true
        default: false
        }
    }
}
