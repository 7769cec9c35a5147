import Foundation
import Gatehouse

/// The player's account as its page shows it.
public struct Account: Equatable, Sendable {
    public var userID: UserID
    /// The linked identity providers, oldest first, without the guest's own identity.
    public var linked: [Provider]
    /// The identity providers that can be linked.
    public var linkable: [Provider]
    /// Whether the account is lost with the phone: no provider is linked.
    public var isGuest: Bool
    /// When the account will be deleted, unless the player keeps it.
    public var deletion: Date?
    /// What the operator wants the player to read.
    public var message: String?

    init(_ member: Member, standing: Standing?, providers: [Provider]) {
        userID = member.userId
        linked = member.mappings.map(\.provider).filter { $0 != .guest }
        linkable = providers.filter { [linked] in !linked.contains($0) }
        isGuest = linked.isEmpty
        deletion = member.temporaryWithdrawal?.deletesAt
        message = deletion == nil ? standing?.message : nil
    }
}

/// An identity that the player wants to link belongs to another account.
public struct Conflict: Equatable, Sendable {
    public var provider: Provider
    public var otherUser: UserID
    public var otherProviders: [Provider]
    /// When the other account was played last.
    public var lastPlayed: Date
    let ticket: ForcingMappingTicket

    init(_ ticket: ForcingMappingTicket) {
        provider = ticket.provider
        otherUser = ticket.mappedUserId
        otherProviders = ticket.mappedMember.providers
        lastPlayed = ticket.mappedMember.lastLoginAt
        self.ticket = ticket
    }
}

/// What the player types on the new phone.
public struct TransferCode: Equatable, Sendable {
    public var id: String
    public var password: String
    public var expiry: Date?

    init(_ account: TransferAccount) {
        id = account.id
        password = account.password?.secretValue ?? ""
        expiry = account.expiresAt
    }
}
