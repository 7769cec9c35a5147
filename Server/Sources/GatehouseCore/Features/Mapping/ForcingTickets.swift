import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Tickets for the identity of another member: single-use, short-lived, and bound to the app, both members, the identity and the
/// session that received it (MAP-6, LNK-2).
enum TicketRules {
    static let lifetimeSeconds: Int64 = 600
    /// How long an expired ticket is kept, so that its use can be refused with the right code.
    static let keptSeconds: Int64 = 86_400

    /// A ticket as it is stored.
    struct Ticket: Sendable {
        let id: String
        let session: SessionID
        let user: UserID
        let mappedUser: UserID
        var identity: VerifiedIdentity
        let expiresAt: Moment
        let usedAt: Moment?
    }

    static func issue(
        _ identity: VerifiedIdentity, of other: Account, to account: Account, _ session: Session, _ change: Change,
        in tx: Draft
    ) throws -> ForcingMappingTicket {
        let id = TimeOrderedID.session(at: change.moment, random: change.random).rawValue
        let secret = SplitToken(id: id, random: change.random)
        let ticket = Ticket(
            id: id, session: session.id, user: account.user, mappedUser: other.user, identity: identity,
            expiresAt: change.moment.adding(seconds: lifetimeSeconds), usedAt: nil)
        let tokens = try identity.tokens.map {
            try change.vault.seal(JSONWriter.bytes(of: $0), for: .ticketTokens(id))
        }
        // Who withdraws meanwhile leaves no ticket behind. The order is fixed, so that two calls don't deadlock.
        for member in [account, other].sorted(by: { $0.user.rawValue < $1.user.rawValue }) {
            try MemberQueries.requireUnchanged(member, in: tx)
        }
        try TicketQueries.insert(ticket, secretHash: secret.hash, tokens: tokens, app: account.app, in: tx)
        return ForcingMappingTicket(
            userId: account.user, mappedUserId: other.user, mappedUserValid: other.status,
            provider: identity.key.provider, forcingMappingKey: ForcingMappingKey(secret.text),
            expirationDate: ticket.expiresAt.milliseconds, mappedMember: other.summary)
    }

    /// The ticket that a session may use now. This call uses it up: only one of several concurrent uses changes its row.
    static func spend(
        _ use: TicketUse, of session: Session, _ change: Change, in tx: Transaction
    ) throws -> Ticket {
        guard let secret = SplitToken(use.forcingMappingKey.secretValue),
            let stored = try TicketQueries.ticket(secret.id, app: session.app, in: tx),
            secret.matches(stored.secretHash),
            // A ticket of another member or session is treated as unknown.
            stored.ticket.user == session.user, stored.ticket.session == session.id
        else { throw Refusal(.authAddMappingForciblyNotExistKey, audit: "ticket.refused") }
        var ticket = stored.ticket
        guard ticket.usedAt == nil else {
            throw Refusal(.authAddMappingForciblyAlreadyUsedKey, audit: "ticket.refused")
        }
        guard change.moment < ticket.expiresAt else { throw Refusal(.authAddMappingForciblyExpiredKey) }
        guard ticket.identity.key.provider == use.provider else { throw Refusal(.authAddMappingForciblyDifferentIDP) }
        guard ticket.mappedUser == use.mappedUserId else { throw Refusal(.authAddMappingForciblyDifferentAuthKey) }
        guard try TicketQueries.spend(ticket.id, app: session.app, at: change.moment, in: tx) else {
            throw Refusal(.authAddMappingForciblyAlreadyUsedKey, audit: "ticket.refused")
        }
        guard let sealed = stored.tokens else { return ticket }
        ticket.identity.tokens = try StoredJSON.read(
            IdentityTokens.self, from: change.vault.open(sealed, for: .ticketTokens(ticket.id)))
        return ticket
    }

    /// Requires that the ticket's other member still has the identity.
    static func requireHolder(of ticket: Ticket, app: AppID, in tx: Reader) throws {
        guard try MemberQueries.owner(of: ticket.identity.key, app: app, in: tx) == ticket.mappedUser else {
            throw Refusal(
                .authAddMappingForciblyDifferentAuthKey, "The identity has moved on since the ticket was issued.")
        }
    }
}

/// Table `forcing_tickets`.
enum TicketQueries {
    static func insert(
        _ ticket: TicketRules.Ticket, secretHash: [UInt8], tokens: [UInt8]?, app: AppID, in tx: Draft
    ) throws {
        let key = ticket.identity.key
        try tx.insert(
            into: "forcing_tickets",
            [
                "ticket_id": ticket.id, "secret_hash": secretHash, "app_id": app, "session_id": ticket.session,
                "user_id": ticket.user, "mapped_user_id": ticket.mappedUser, "idp": key.provider,
                "namespace": key.namespace, "subject": key.subject, "sealed_tokens": tokens,
                "expires_at": ticket.expiresAt,
            ])
    }

    static func ticket(
        _ id: String, app: AppID, in tx: Reader
    ) throws -> (ticket: TicketRules.Ticket, secretHash: [UInt8], tokens: [UInt8]?)? {
        try tx.first(
            """
            SELECT session_id, user_id, mapped_user_id, idp, namespace, subject, expires_at, used_at, secret_hash,
                sealed_tokens
            FROM forcing_tickets WHERE ticket_id = \(id) AND app_id = \(app)
            """
        ) { row in
            let key = IdentityKey(provider: try row[3], namespace: try row[4], subject: try row[5])
            let ticket = TicketRules.Ticket(
                id: id, session: try row[0], user: try row[1], mappedUser: try row[2],
                identity: VerifiedIdentity(key: key), expiresAt: try row[6], usedAt: try row[7])
            return (ticket, try row[8], try row[9])
        }
    }

    /// How much longer the answer to a call may have taken than its decision.
    private static let answerSeconds: Int64 = 60

    /// The member that had the identity which another member wanted, and the identity's subject; nil if the ticket of that conflict is
    /// deleted.
    ///
    /// - Parameter moment: when the call was refused, which is a little later than the ticket was made.
    static func conflict(
        of user: UserID, with provider: Provider, app: AppID, at moment: Moment, in tx: Reader
    ) throws -> (holder: UserID, subject: String)? {
        let first = TimeOrderedID.firstSession(at: moment.adding(seconds: -answerSeconds))
        let end = TimeOrderedID.firstSession(at: Moment(milliseconds: moment.milliseconds &+ 1))
        return try tx.first(
            """
            SELECT mapped_user_id, subject FROM forcing_tickets
            WHERE user_id = \(user) AND app_id = \(app) AND idp = \(provider) AND ticket_id >= \(first) AND ticket_id < \(end)
            ORDER BY ticket_id DESC LIMIT 1
            """
        ) { row in (try row[0], try row[1]) }
    }

    /// False when the ticket was already used.
    static func spend(_ id: String, app: AppID, at moment: Moment, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            UPDATE forcing_tickets SET used_at = \(moment), sealed_tokens = NULL
            WHERE ticket_id = \(id) AND app_id = \(app) AND used_at IS NULL
            """) == 1
    }

    static func deleteAll(about user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "forcing_tickets", where: ["user_id": user, "app_id": app])
        try tx.delete(from: "forcing_tickets", where: ["mapped_user_id": user, "app_id": app])
    }
}
