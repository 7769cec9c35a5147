import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `refusals`: calls of players that were refused lately.
enum RefusalQueries {
    static func insert(_ call: RefusedCall, in tx: Draft) throws {
        try tx.insert(
            into: "refusals",
            [
                "refusal_id": call.id, "app_id": call.app, "transaction_id": call.transactionID,
                "code": call.code.rawValue, "reason": call.reason, "call": call.call, "idp": call.provider,
                "key_thumbprint": call.key, "user_id": call.user, "client": call.client, "happened_at": call.date,
            ])
    }

    private static let columns: SQL = """
        refusal_id, app_id, transaction_id, code, reason, call, idp, key_thumbprint, user_id, client, happened_at
        """

    private static func call(_ row: Row) throws -> RefusedCall {
        var columns = row.columns
        return RefusedCall(
            id: try columns.next(), app: try columns.next(), transactionID: try columns.next(),
            code: ErrorCode(rawValue: try columns.next()), reason: try columns.next(), call: try columns.next(),
            provider: try columns.next(), key: try columns.next(), user: try columns.next(),
            client: try columns.next(), date: try columns.next())
    }

    static func call(_ id: String, app: AppID, in tx: Reader) throws -> RefusedCall? {
        try tx.first("SELECT \(columns) FROM refusals WHERE refusal_id = \(id) AND app_id = \(app)", call)
    }

    /// The calls with a transaction id, newest first. A client may use an id again.
    static func calls(withTransaction id: String, app: AppID, limit: Int, in tx: Reader) throws -> [RefusedCall] {
        try tx.rows(
            """
            SELECT \(columns) FROM refusals WHERE transaction_id = \(id) AND app_id = \(app)
            ORDER BY refusal_id DESC LIMIT \(limit)
            """, call)
    }

    /// A member's refused calls, newest first.
    ///
    /// - Parameters:
    ///   - first: the lower bound of their ids.
    ///   - last: the last row of the page before.
    static func calls(
        of user: UserID, app: AppID, since first: String? = nil, before last: String? = nil, limit: Int, in tx: Reader
    ) throws -> [RefusedCall] {
        try tx.rows(
            """
            SELECT \(columns) FROM refusals WHERE user_id = \(user) AND app_id = \(app) \(range(first, last))
            ORDER BY refusal_id DESC LIMIT \(limit)
            """, call)
    }

    /// A page of a member's refused calls, newest first.
    ///
    /// - Parameters:
    ///   - ids: the ids that are looked at.
    ///   - areConflicts: only those because the identity belongs to another member, or only the others; nil for both.
    static func calls(
        of user: UserID, app: AppID, in ids: Range<String>, areConflicts: Bool?, limit: Int, in tx: Reader
    ) throws -> [RefusedCall] {
        let conflict = ErrorCode.authAddMappingAlreadyMappedToOtherMember.rawValue
        let kind: SQL =
            switch areConflicts {
            case true?: "AND code = \(conflict)"
            case false?: "AND code <> \(conflict)"
            case nil: ""
            }
        return try tx.rows(
            """
            SELECT \(columns) FROM refusals
            WHERE user_id = \(user) AND app_id = \(app) AND refusal_id >= \(ids.lowerBound)
                AND refusal_id < \(ids.upperBound) \(kind)
            ORDER BY refusal_id DESC LIMIT \(limit)
            """, call)
    }

    /// An app's refused calls, newest first.
    ///
    /// - Parameters:
    ///   - first: the lower bound of their ids.
    ///   - last: the last row of the page before.
    static func calls(
        of app: AppID, since first: String? = nil, before last: String?, limit: Int, in tx: Reader
    ) throws -> [RefusedCall] {
        try tx.rows(
            """
            SELECT \(columns) FROM refusals WHERE app_id = \(app) \(range(first, last))
            ORDER BY refusal_id DESC LIMIT \(limit)
            """, call)
    }

    /// What the filters and the groups look at, of the calls of an app or of one of its members, newest first.
    ///
    /// - Parameters:
    ///   - first: the lower bound of their ids.
    ///   - last: the last row of the page before.
    ///   - withCall: whether the endpoint is read, and `withClient` what the device has said of itself.
    static func outlines(
        of user: UserID?, app: AppID, since first: String?, before last: String?, limit: Int, withCall: Bool,
        withClient: Bool, in tx: Reader
    ) throws -> [RefusalOutline] {
        let member: SQL = if let user { "user_id = \(user) AND" } else { "" }
        let call: SQL = withCall ? ", call" : ""
        let client: SQL = withClient ? ", client" : ""
        return try tx.rows(
            """
            SELECT refusal_id, code, idp, user_id, happened_at\(call)\(client) FROM refusals
            WHERE \(member) app_id = \(app) \(range(first, last)) ORDER BY refusal_id DESC LIMIT \(limit)
            """
        ) { row in
            var columns = row.columns
            return RefusalOutline(
                id: try columns.next(), code: ErrorCode(rawValue: try columns.next()), provider: try columns.next(),
                user: try columns.next(), date: try columns.next(), call: withCall ? try columns.next() : nil,
                client: withClient ? try columns.next() : nil)
        }
    }

    private static func range(_ first: String?, _ last: String?) -> SQL {
        "AND refusal_id >= \(first ?? "") AND refusal_id < \(last ?? TimeOrderedID.end)"
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "refusals", where: ["user_id": user, "app_id": app])
    }

    /// Deletes what the member's devices have called without a member that was known. A device's key is the subject of its guest.
    static func deleteAll(ofDevicesOf user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(
            from: "refusals", where: ["app_id": app],
            and: """
                user_id IS NULL AND key_thumbprint IN (
                    SELECT key_thumbprint FROM sessions WHERE user_id = \(user) AND app_id = \(app)
                    UNION SELECT subject FROM identities
                    WHERE user_id = \(user) AND app_id = \(app) AND idp = \(Provider.guest))
                """)
    }

    /// - Parameter areStrangers: whether only calls without a member are deleted.
    static func deleteAll(
        of app: AppID, areStrangers: Bool, upTo id: String, limit: Int, in tx: Transaction
    ) throws -> Int {
        try tx.execute(
            """
            DELETE FROM refusals WHERE app_id = \(app) AND refusal_id IN (
                SELECT refusal_id FROM refusals WHERE app_id = \(app) AND refusal_id <= \(id) \(only(areStrangers))
                ORDER BY refusal_id LIMIT \(limit))
            """)
    }

    /// The id that follows the newest rows of an app. It steps over that many entries of an index.
    ///
    /// - Parameter areStrangers: whether only calls without a member count.
    static func id(after rows: Int, of app: AppID, areStrangers: Bool, in tx: Reader) throws -> String? {
        try tx.first(
            """
            SELECT refusal_id FROM refusals WHERE app_id = \(app) \(only(areStrangers))
            ORDER BY refusal_id DESC LIMIT 1 OFFSET \(rows)
            """
        ) { row in try row[0] }
    }

    private static func only(_ areStrangers: Bool) -> SQL { areStrangers ? "AND user_id IS NULL" : "" }
}

/// What the filters and the groups of refused calls look at. Most of a call's row is not read for them.
struct RefusalOutline: Sendable {
    let id: String
    let code: ErrorCode
    let provider: Provider?
    let user: UserID?
    let date: Moment
    /// Nil if nobody looks at it, as the next.
    let call: String?
    let client: String?
}
