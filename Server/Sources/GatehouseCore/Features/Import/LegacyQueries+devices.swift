import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// The ids of members' devices in other systems, and the members who have withdrawn, both as keyed hashes (``LegacyHashKey``).
extension LegacyQueries {
    /// If the id has a member in the meantime, the transaction is retried.
    static func insertDevice(
        _ hash: [UInt8], _ kind: String, of user: UserID, source: String, app: AppID, in tx: Draft
    ) throws {
        try tx.insert(
            into: "legacy_devices",
            ["app_id": app, "source": source, "kind": kind, "value_hash": hash, "user_id": user],
            ifTaken: [deviceKey: StorageError.conflict])
    }

    /// The member of a device's id.
    static func user(ofDevice hash: [UInt8], _ kind: String, source: String, app: AppID, in tx: Reader) throws
        -> UserID?
    {
        try tx.first(
            """
            SELECT user_id FROM legacy_devices
            WHERE value_hash = \(hash) AND kind = \(kind) AND source = \(source) AND app_id = \(app)
            """
        ) { row in try row[0] }
    }

    /// The members of many ids.
    static func users(
        ofDevices hashes: [[UInt8]], source: String, app: AppID, in tx: Reader
    ) throws -> [(hash: [UInt8], kind: String, user: UserID)] {
        try SQLList.pages(of: hashes).flatMap { list in
            try tx.rows(
                """
                SELECT value_hash, kind, user_id FROM legacy_devices
                WHERE value_hash IN (\(list)) AND source = \(source) AND app_id = \(app)
                """
            ) { row in (hash: try row[0], kind: try row[1], user: try row[2]) }
        }
    }

    // MARK: Members who have withdrawn

    static func insertErased(
        _ hash: [UInt8], source: String, app: AppID, at moment: Moment, in tx: Transaction
    ) throws {
        try tx.execute(
            """
            INSERT INTO legacy_erased (app_id, source, legacy_hash, erased_at)
            VALUES (\(app), \(source), \(hash), \(moment)) ON CONFLICT (legacy_hash, source, app_id) DO NOTHING
            """)
    }

    static func isErased(_ hash: [UInt8], source: String, app: AppID, in tx: Reader) throws -> Bool {
        try !erased([hash], source: source, app: app, in: tx).isEmpty
    }

    /// Those of the hashes whose members have withdrawn.
    static func erased(_ hashes: [[UInt8]], source: String, app: AppID, in tx: Reader) throws -> [[UInt8]] {
        try SQLList.pages(of: hashes).flatMap { list in
            try tx.rows(
                """
                SELECT legacy_hash FROM legacy_erased
                WHERE legacy_hash IN (\(list)) AND source = \(source) AND app_id = \(app)
                """
            ) { row in try row[0] as [UInt8] }
        }
    }

    // MARK: What a closed source leaves

    /// A table of hashes, each of which is of no use without its source's key.
    enum Hashes: CaseIterable, Sendable {
        case devices, erased

        fileprivate var table: SQL {
            switch self {
            case .devices: "legacy_devices"
            case .erased: "legacy_erased"
            }
        }

        /// The first column of the table's key.
        fileprivate var hash: SQL {
            switch self {
            case .devices: "value_hash"
            case .erased: "legacy_hash"
            }
        }
    }

    /// Deletes a source's hashes: those among a page of the table, in the order of its key. No index leads to a source, and every login
    /// waits for the transaction, so the number of rows that are looked at is limited, whosever they are.
    ///
    /// - Parameter last: the hash with which the page before has ended; empty for the first page.
    /// - Returns: the hash with which the page ends; nil for the last one.
    static func delete(
        _ hashes: Hashes, of source: String, app: AppID, after last: [UInt8], rows: Int, in tx: Transaction
    ) throws -> [UInt8]? {
        let end = try end(of: hashes, after: last, rows: rows, in: tx)
        let upToEnd: SQL = if let end { "AND \(hashes.hash) <= \(end)" } else { "" }
        try tx.execute(
            """
            DELETE FROM \(hashes.table)
            WHERE \(hashes.hash) > \(last) \(upToEnd) AND source = \(source) AND app_id = \(app)
            """)
        return end
    }

    /// The hash with which a page of a table ends, whosever it is; nil for the last page.
    static func end(of hashes: Hashes, after last: [UInt8], rows: Int, in tx: Reader) throws -> [UInt8]? {
        try tx.first(
            """
            SELECT \(hashes.hash) FROM \(hashes.table) WHERE \(hashes.hash) > \(last)
            ORDER BY \(hashes.hash) LIMIT 1 OFFSET \(rows - 1)
            """
        ) { row in try row[0] }
    }
}
