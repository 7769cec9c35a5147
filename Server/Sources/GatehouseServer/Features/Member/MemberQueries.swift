import GatehouseStorage
import GatehouseWire

/// Tables `members` and `identities`. `identities`' primary key (subject, namespace, IdP, app) gives an identity at most
/// one member, and its constraint `identities_one_per_idp` gives a member at most one identity per IdP (LNK-1).
enum MemberQueries {
    static func owner(of identity: VerifiedIdentity, app: AppID, in tx: Transaction) throws -> UserID? {
        try tx.first(
            """
            SELECT user_id FROM identities WHERE app_id = \(app) AND idp = \(identity.provider)
                AND namespace = \(identity.namespace) AND subject = \(identity.subject)
            """
        ) { row in try row[0] }
    }

    /// The transaction is tried again, with another id, when this one is taken.
    static func insertMember(_ id: UserID, app: AppID, at moment: Moment, in tx: Transaction) throws {
        try tx.later(
            """
            INSERT INTO members (app_id, user_id, status, registered_at, last_login_at)
            VALUES (\(app), \(id), \(MemberStatus.normal), \(moment.milliseconds), \(moment.milliseconds))
            """, ifTaken: TransactionConflict())
    }

    /// The transaction is tried again when the identity has a member meanwhile, and then finds it.
    static func insertIdentity(
        _ identity: VerifiedIdentity, of member: UserID, app: AppID, at moment: Moment, in tx: Transaction
    ) throws {
        try tx.later(
            """
            INSERT INTO identities (app_id, idp, namespace, subject, user_id, registered_at)
            VALUES (\(app), \(identity.provider), \(identity.namespace), \(identity.subject), \(member),
                \(moment.milliseconds))
            """, ifTaken: TransactionConflict())
    }

    static func updateLastLogin(of id: UserID, app: AppID, at moment: Moment, in tx: Transaction) throws {
        try tx.later(
            """
            UPDATE members SET last_login_at = \(moment.milliseconds) WHERE app_id = \(app) AND user_id = \(id)
            """)
    }

    /// The member with its mappings, oldest first: one statement, a row for each mapping.
    static func member(_ id: UserID, app: AppID, in tx: Transaction) throws -> Member? {
        Self.member(
            try tx.rows(
                """
                SELECT \(columns) FROM members m
                LEFT JOIN identities i ON i.app_id = m.app_id AND i.user_id = m.user_id
                WHERE m.app_id = \(app) AND m.user_id = \(id) ORDER BY i.registered_at, i.idp
                """
            ) { row in try Part(row, from: 0) })
    }

    /// What a statement that joins `members m` with `identities i` selects for ``Part``.
    static let columns: SQL = """
        m.app_id, m.user_id, m.status, m.registered_at, m.last_login_at, i.idp, i.subject, i.registered_at
        """

    /// One row: the member, and one of its mappings if it has any.
    struct Part: Sendable {
        fileprivate let member: Member
        fileprivate let mapping: Mapping?

        init(_ row: Row, from column: Int) throws {
            member = Member(
                appId: try row[column], userId: try row[column + 1], status: try row[column + 2],
                registrationDate: try row[column + 3], lastLoginDate: try row[column + 4], mappings: [])
            let provider: Provider? = try row[column + 5]
            mapping = try provider.map {
                Mapping(provider: $0, subject: try row[column + 6], registrationDate: try row[column + 7])
            }
        }
    }

    static func member(_ parts: [Part]) -> Member? {
        guard var member = parts.first?.member else { return nil }
        member.mappings = parts.compactMap(\.mapping)
        return member
    }
}
