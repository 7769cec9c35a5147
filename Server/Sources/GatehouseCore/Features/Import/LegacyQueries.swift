package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Who a member is in another system, by an import or by the exchange of a credential of that system.
package struct LegacyMember: Sendable, Hashable {
    package let source: String
    package let legacyID: String
    package let user: UserID
    /// The import that has brought the member; nil for one that an exchange has made.
    package var run: String?
    package var importedAt: Moment
    /// The digest of the record that was imported last.
    package var digest: [UInt8]?
    /// Credentials from before this moment are refused.
    package var validSince: Moment?
    /// Whether the file may have lost identities of the member. Then a token may bring them.
    package var hasLostIdentities = false
    package var claimedAt: Moment?
    /// The key of the device that has claimed the member.
    package var claimedKey: KeyThumbprint?

    package init(source: String, legacyID: String, user: UserID, run: String? = nil, importedAt: Moment) {
        self.source = source
        self.legacyID = legacyID
        self.user = user
        self.run = run
        self.importedAt = importedAt
    }
}

/// Tables `legacy_members`, `legacy_devices` and `legacy_erased`: who members are in other systems. The primary key of `legacy_members`
/// gives a legacy id one member, and its constraint `legacy_members_one_per_source` gives a member one id of each source.
enum LegacyQueries {
    static let legacyKey = UniqueConstraint.primaryKey(of: "legacy_members", "legacy_id", "source", "app_id")
    static let oneIDPerSource = UniqueConstraint(
        "legacy_members_one_per_source", on: "legacy_members", "user_id", "app_id", "source")
    static let deviceKey = UniqueConstraint.primaryKey(of: "legacy_devices", "value_hash", "kind", "source", "app_id")

    private static let columns: SQL = """
        source, legacy_id, user_id, run_id, imported_at, record_digest, valid_since, lost_identities, claimed_at,
        claimed_key
        """

    private static func member(_ row: Row) throws -> LegacyMember {
        var columns = row.columns
        var member = LegacyMember(
            source: try columns.next(), legacyID: try columns.next(), user: try columns.next(),
            run: try columns.next(), importedAt: try columns.next())
        member.digest = try columns.next()
        member.validSince = try columns.next()
        member.hasLostIdentities = try columns.next(Int.self) != 0
        member.claimedAt = try columns.next()
        member.claimedKey = try columns.next()
        return member
    }

    // MARK: Members

    /// If the legacy id has a member in the meantime, or the member an id of this source, the transaction is retried.
    static func insert(_ member: LegacyMember, app: AppID, in tx: Draft) throws {
        try tx.insert(
            into: "legacy_members",
            [
                "app_id": app, "source": member.source, "legacy_id": member.legacyID, "user_id": member.user,
                "run_id": member.run, "imported_at": member.importedAt,
                "record_digest": member.digest, "valid_since": member.validSince,
                "lost_identities": member.hasLostIdentities ? 1 : 0, "claimed_at": member.claimedAt,
                "claimed_key": member.claimedKey,
            ], ifTaken: [legacyKey: StorageError.conflict, oneIDPerSource: StorageError.conflict])
    }

    static func member(_ legacyID: String, source: String, app: AppID, in tx: Reader) throws -> LegacyMember? {
        try tx.first(
            """
            SELECT \(columns) FROM legacy_members
            WHERE legacy_id = \(legacyID) AND source = \(source) AND app_id = \(app)
            """, member)
    }

    static func member(of user: UserID, source: String, app: AppID, in tx: Reader) throws -> LegacyMember? {
        try tx.first(
            """
            SELECT \(columns) FROM legacy_members
            WHERE user_id = \(user) AND app_id = \(app) AND source = \(source)
            """, member)
    }

    /// Everything that a member is in other systems.
    static func members(of user: UserID, app: AppID, in tx: Reader) throws -> [LegacyMember] {
        try tx.rows(
            """
            SELECT \(columns) FROM legacy_members WHERE user_id = \(user) AND app_id = \(app) ORDER BY source
            """, member)
    }

    /// The members that have a legacy id in any source.
    static func members(named legacyID: String, app: AppID, in tx: Reader) throws -> [LegacyMember] {
        try tx.rows(
            """
            SELECT \(columns) FROM legacy_members WHERE legacy_id = \(legacyID) AND app_id = \(app) ORDER BY source
            """, member)
    }

    /// The members of many legacy ids.
    static func members(_ legacyIDs: [String], source: String, app: AppID, in tx: Reader) throws -> [LegacyMember] {
        try SQLList.pages(of: legacyIDs).flatMap { list in
            try tx.rows(
                """
                SELECT \(columns) FROM legacy_members
                WHERE legacy_id IN (\(list)) AND source = \(source) AND app_id = \(app)
                """, member)
        }
    }

    /// What many members are in one source.
    static func members(of users: [UserID], source: String, app: AppID, in tx: Reader) throws -> [LegacyMember] {
        try SQLList.pages(of: users).flatMap { list in
            try tx.rows(
                """
                SELECT \(columns) FROM legacy_members
                WHERE user_id IN (\(list)) AND app_id = \(app) AND source = \(source)
                """, member)
        }
    }

    /// The members that an import has brought, by their ids.
    static func members(
        of run: String, app: AppID, after last: UserID?, limit: Int, in tx: Reader
    ) throws -> [LegacyMember] {
        try tx.rows(
            """
            SELECT \(columns) FROM legacy_members
            WHERE run_id = \(run) AND user_id > \(last ?? UserID("")) AND app_id = \(app)
            ORDER BY user_id LIMIT \(limit)
            """, member)
    }

    /// What a page of members is in other systems, in no order.
    static func members(of users: UserRange, app: AppID, in tx: Reader) throws -> [LegacyMember] {
        try tx.rows(
            """
            SELECT \(columns) FROM legacy_members WHERE \(users.condition) AND app_id = \(app)
            """, member)
    }

    /// Writes what a later record says. The claim stays.
    static func update(_ member: LegacyMember, app: AppID, in tx: Draft) throws {
        try tx.update(
            "legacy_members",
            set: """
                record_digest = \(member.digest), valid_since = \(member.validSince),
                lost_identities = \(member.hasLostIdentities ? 1 : 0)
                """,
            where: ["legacy_id": member.legacyID, "source": member.source, "app_id": app],
            ifMissed: StorageError.conflict)
    }

    /// Notes which device has claimed a member whose row is locked. If another claim is noted than the one that was read, the transaction
    /// is retried.
    static func claim(
        _ member: LegacyMember, by key: KeyThumbprint, app: AppID, at moment: Moment, in tx: Draft
    ) throws {
        let condition: SQL =
            if let claimed = member.claimedKey { "claimed_key = \(claimed)" } else { "claimed_key IS NULL" }
        try tx.update(
            "legacy_members",
            set: "claimed_at = \(moment), claimed_key = \(key), lost_identities = \(member.hasLostIdentities ? 1 : 0)",
            where: ["legacy_id": member.legacyID, "source": member.source, "app_id": app], and: condition,
            ifMissed: StorageError.conflict)
    }

    /// Lets another device claim the member. False if none has.
    static func release(_ legacyID: String, source: String, app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            UPDATE legacy_members SET claimed_at = NULL, claimed_key = NULL
            WHERE legacy_id = \(legacyID) AND source = \(source) AND app_id = \(app) AND claimed_key IS NOT NULL
            """) == 1
    }

    /// Deletes everything that a member is in other systems.
    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "legacy_members", where: ["user_id": user, "app_id": app])
        try tx.delete(from: "legacy_devices", where: ["user_id": user, "app_id": app])
    }
}

/// Values in the parentheses of `IN (…)`. The last one is repeated up to a power of two, so that few texts are prepared for all numbers.
enum SQLList {
    /// Upper bound on the values of one statement.
    private static let maximum = 256

    static func pages(of values: [some SQLConvertible & Sendable]) -> [SQL] {
        stride(from: 0, to: values.count, by: maximum).map { start in
            let page = values[start..<min(start + maximum, values.count)]
            var count = 1
            while count < page.count { count *= 2 }
            var list: SQL = "\(page[start])"
            for index in start + 1..<start + count { list = "\(list), \(page[min(index, page.endIndex - 1)])" }
            return list
        }
    }
}
