import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Tables `operators`, `operator_grants`, `operator_invitations` and `operator_recovery_codes`.
enum OperatorQueries {
    static let name = UniqueConstraint("operators_name", on: "operators", "name")

    /// An operator's secrets, as they are stored.
    struct Credentials: Sendable {
        let passwordHash: [UInt8]?
        let sealedSecret: [UInt8]?
        /// The step of the last code that was used.
        let lastStep: Int64
    }

    private static let columns: SQL = """
        operator_id, name, is_disabled, preferences, created_at, password_hash, sealed_secret, totp_step
        """

    private static func row(_ row: Row) throws -> (person: Operator, credentials: Credentials) {
        var columns = row.columns
        let id: OperatorID = try columns.next()
        let name: String = try columns.next()
        let isDisabled: Bool = try columns.next()
        let preferences: String = try columns.next()
        let createdAt: Moment = try columns.next()
        let credentials = Credentials(
            passwordHash: try columns.next(), sealedSecret: try columns.next(), lastStep: try columns.next())
        return (
            Operator(
                id: id, name: name, isDisabled: isDisabled, isEnrolled: credentials.passwordHash != nil,
                preferences: try JSONText.read(preferences), createdAt: createdAt), credentials
        )
    }

    static func find(_ id: OperatorID, in tx: Reader) throws -> (person: Operator, credentials: Credentials)? {
        try withGrants(tx.first("SELECT \(columns) FROM operators WHERE operator_id = \(id)", row), in: tx)
    }

    static func find(named name: String, in tx: Reader) throws -> (person: Operator, credentials: Credentials)? {
        try withGrants(tx.first("SELECT \(columns) FROM operators WHERE name = \(name)", row), in: tx)
    }

    private static func withGrants(
        _ found: (person: Operator, credentials: Credentials)?, in tx: Reader
    ) throws -> (person: Operator, credentials: Credentials)? {
        guard var found else { return nil }
        let rows = try tx.rows(
            "SELECT app_id, role FROM operator_grants WHERE operator_id = \(found.person.id)"
        ) { row in (try row[0] as GrantScope, OperatorRole(rawValue: try row[1])) }
        for (scope, role) in rows { found.person.grants[scope] = role }
        return found
    }

    /// All operators, by name.
    static func all(in tx: Reader) throws -> [Operator] {
        var people = try tx.rows("SELECT \(columns) FROM operators ORDER BY name", row).map(\.person)
        let grants = Dictionary(
            grouping: try tx.rows("SELECT operator_id, app_id, role FROM operator_grants") { row in
                (
                    id: try row[0] as OperatorID, scope: try row[1] as GrantScope,
                    role: OperatorRole(rawValue: try row[2])
                )
            }, by: \.id)
        for index in people.indices {
            for grant in grants[people[index].id] ?? [] { people[index].grants[grant.scope] = grant.role }
        }
        return people
    }

    /// The names of those who may see an app and may sign in, in their order.
    static func names(of app: AppID, limit: Int, in tx: Reader) throws -> [String] {
        try tx.rows(
            """
            SELECT o.name FROM operators o
            WHERE o.is_disabled = \(false) AND EXISTS (
                SELECT 1 FROM operator_grants g
                WHERE g.operator_id = o.operator_id AND g.app_id IN (\(GrantScope.app(app)), \(GrantScope.everything)))
            ORDER BY o.name LIMIT \(limit)
            """
        ) { row in try row[0] }
    }

    static func isEmpty(in tx: Reader) throws -> Bool {
        try tx.first("SELECT 1 FROM operators WHERE password_hash IS NOT NULL LIMIT 1") { _ in true } == nil
    }

    static func insert(_ person: Operator, in tx: Draft) throws {
        try tx.insert(
            into: "operators",
            [
                "operator_id": person.id, "name": person.name, "totp_step": Int64(0), "is_disabled": person.isDisabled,
                "preferences": try JSONText.write(person.preferences), "created_at": person.createdAt,
            ], ifTaken: [name: OperatorRules.nameIsTaken])
    }

    static func setCredentials(
        passwordHash: [UInt8], sealedSecret: [UInt8], step: Int64, of id: OperatorID, in tx: Draft
    )
        throws
    {
        try tx.update(
            "operators", set: "password_hash = \(passwordHash), sealed_secret = \(sealedSecret), totp_step = \(step)",
            where: ["operator_id": id])
    }

    static func setPassword(_ hash: [UInt8], of id: OperatorID, in tx: Draft) throws {
        try tx.update("operators", set: "password_hash = \(hash)", where: ["operator_id": id])
    }

    static func setFactor(_ sealedSecret: [UInt8], step: Int64, of id: OperatorID, in tx: Draft) throws {
        try tx.update(
            "operators", set: "sealed_secret = \(sealedSecret), totp_step = \(step)", where: ["operator_id": id])
    }

    /// Takes away the password, the second factor and the recovery codes.
    static func deleteCredentials(of id: OperatorID, in tx: Draft) throws {
        try tx.update(
            "operators", set: "password_hash = NULL, sealed_secret = NULL", where: ["operator_id": id])
        try tx.delete(from: "operator_recovery_codes", where: ["operator_id": id])
    }

    /// Uses up the codes up to a step, if the credentials are the ones that were compared and the person may sign in. Of two calls with
    /// one code, the second finds nothing to change.
    ///
    /// - Parameter step: nil for a recovery code, which is used up by itself.
    static func use(
        step: Int64?, of id: OperatorID, passwordHash: [UInt8], sealedSecret: [UInt8], else refusal: Refusal,
        in tx: Draft
    ) throws {
        let (set, and): (SQL, SQL) =
            if let step { ("totp_step = \(step)", "totp_step < \(step) AND") } else { ("totp_step = totp_step", "") }
        try tx.update(
            "operators", set: set, where: ["operator_id": id],
            and:
                "\(and) password_hash = \(passwordHash) AND sealed_secret = \(sealedSecret) AND is_disabled = \(false)",
            ifMissed: refusal)
    }

    static func set(_ preferences: OperatorPreferences, of id: OperatorID, in tx: Draft) throws {
        try tx.update(
            "operators", set: "preferences = \(try JSONText.write(preferences))", where: ["operator_id": id])
    }

    static func setDisabled(_ isDisabled: Bool, _ id: OperatorID, in tx: Draft) throws {
        try tx.update("operators", set: "is_disabled = \(isDisabled)", where: ["operator_id": id])
    }

    /// Replaces all grants of an operator.
    static func setGrants(_ grants: [GrantScope: OperatorRole], of id: OperatorID, in tx: Draft) throws {
        try tx.delete(from: "operator_grants", where: ["operator_id": id])
        for (scope, role) in grants.sorted(by: { $0.key.text < $1.key.text }) {
            try tx.insert(
                into: "operator_grants", ["operator_id": id, "app_id": scope, "role": role.rawValue])
        }
    }

    // MARK: Invitations

    struct Invitation: Sendable {
        let id: OperatorID
        let sealedSecret: [UInt8]
        let expiresAt: Moment
    }

    static func invitation(_ hash: [UInt8], in tx: Reader) throws -> Invitation? {
        try tx.first(
            """
            SELECT operator_id, sealed_secret, expires_at FROM operator_invitations
            WHERE token_hash = \(hash) AND used_at IS NULL
            """
        ) { row in Invitation(id: try row[0], sealedSecret: try row[1], expiresAt: try row[2]) }
    }

    static func insertInvitation(
        _ hash: [UInt8], of id: OperatorID, sealedSecret: [UInt8], until end: Moment, in tx: Draft
    ) throws {
        try tx.insert(
            into: "operator_invitations",
            ["token_hash": hash, "operator_id": id, "sealed_secret": sealedSecret, "expires_at": end])
    }

    /// Uses up an invitation, and deletes it, because it has the secret of the second factor. Of two calls with one invitation, the
    /// second is refused.
    static func useInvitation(_ hash: [UInt8], else refusal: Refusal, in tx: Draft) throws {
        try tx.delete(
            from: "operator_invitations", where: ["token_hash": hash], and: "used_at IS NULL", ifMissed: refusal)
    }

    static func voidInvitations(of id: OperatorID, in tx: Draft) throws {
        try tx.delete(from: "operator_invitations", where: ["operator_id": id])
    }

    // MARK: Recovery codes

    static func setRecoveryCodes(_ hashes: [[UInt8]], of id: OperatorID, in tx: Draft) throws {
        try tx.delete(from: "operator_recovery_codes", where: ["operator_id": id])
        for hash in hashes {
            try tx.insert(into: "operator_recovery_codes", ["operator_id": id, "code_hash": hash])
        }
    }

    static func recoveryCodes(of id: OperatorID, in tx: Reader) throws -> Int {
        try tx.first("SELECT COUNT(*) FROM operator_recovery_codes WHERE operator_id = \(id)") { row in try row[0] }
            ?? 0
    }

    /// Uses up a recovery code. Of two calls with one code, the second is refused.
    static func useRecoveryCode(_ hash: [UInt8], of id: OperatorID, else refusal: Refusal, in tx: Draft) throws {
        try tx.delete(
            from: "operator_recovery_codes", where: ["operator_id": id, "code_hash": hash], ifMissed: refusal)
    }
}

/// Table `operator_sessions`.
enum OperatorSessionQueries {
    struct Row: Sendable {
        let id: String
        let person: OperatorID
        let createdAt: Moment
        let usedAt: Moment
        let expiresAt: Moment
        let elevatedUntil: Moment
        let address: String
        let agent: String
    }

    private static let columns: SQL = """
        session_id, operator_id, created_at, used_at, expires_at, elevated_until, address, agent
        """

    private static func row(_ row: GatehouseStorage.Row) throws -> Row {
        var columns = row.columns
        return Row(
            id: try columns.next(), person: try columns.next(), createdAt: try columns.next(),
            usedAt: try columns.next(), expiresAt: try columns.next(), elevatedUntil: try columns.next(),
            address: try columns.next(), agent: try columns.next())
    }

    static func insert(_ session: Row, tokenHash: [UInt8], in tx: Draft) throws {
        try tx.insert(
            into: "operator_sessions",
            [
                "token_hash": tokenHash, "session_id": session.id, "operator_id": session.person,
                "created_at": session.createdAt, "used_at": session.usedAt, "expires_at": session.expiresAt,
                "elevated_until": session.elevatedUntil, "address": session.address, "agent": session.agent,
            ])
    }

    static func find(_ tokenHash: [UInt8], in tx: Reader) throws -> Row? {
        try tx.first("SELECT \(columns) FROM operator_sessions WHERE token_hash = \(tokenHash)", row)
    }

    static func isThere(_ session: String, of id: OperatorID, in tx: Reader) throws -> Bool {
        try tx.first("SELECT 1 FROM operator_sessions WHERE operator_id = \(id) AND session_id = \(session)") { _ in
            true
        } ?? false
    }

    /// The sessions of an operator, newest first.
    static func sessions(of id: OperatorID, in tx: Reader) throws -> [Row] {
        try tx.rows(
            "SELECT \(columns) FROM operator_sessions WHERE operator_id = \(id) ORDER BY session_id DESC LIMIT 100", row
        )
    }

    static func touch(_ tokenHash: [UInt8], at moment: Moment, in tx: Draft) throws {
        try tx.update("operator_sessions", set: "used_at = \(moment)", where: ["token_hash": tokenHash])
    }

    static func delete(_ tokenHash: [UInt8], in tx: Draft) throws {
        try tx.delete(from: "operator_sessions", where: ["token_hash": tokenHash])
    }

    /// Ends an operator's sessions: one, or all but one, or all.
    static func delete(of id: OperatorID, only session: String? = nil, but kept: String? = nil, in tx: Draft) throws {
        try tx.delete(
            from: "operator_sessions", where: ["operator_id": id],
            and: session.map { "session_id = \($0)" } ?? "session_id <> \(kept ?? "")")
    }
}
