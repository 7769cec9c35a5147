import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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
