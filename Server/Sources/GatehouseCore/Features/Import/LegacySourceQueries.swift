import GatehouseJSON
package import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `legacy_sources`.
enum LegacySourceQueries {
    private static let columns: SQL = "source, kind, settings, open_until, created_at, closed_at, sealed_settings"

    private static func source(_ row: Row) throws -> LegacySource {
        var columns = row.columns
        return LegacySource(
            name: try columns.next(), kind: try columns.next(), settings: try JSONText.read(columns.next()),
            openUntil: try columns.next(), createdAt: try columns.next(), closedAt: try columns.next(),
            sealedSettings: try columns.next())
    }

    static func source(_ name: String, app: AppID, in tx: Reader) throws -> LegacySource? {
        try tx.first("SELECT \(columns) FROM legacy_sources WHERE app_id = \(app) AND source = \(name)", source)
    }

    static func sources(of app: AppID, in tx: Reader) throws -> [LegacySource] {
        try tx.rows("SELECT \(columns) FROM legacy_sources WHERE app_id = \(app) ORDER BY source", source)
    }

    /// Adds a source, or changes one that is not closed.
    static func set(_ source: LegacySource, app: AppID, in tx: Transaction) throws {
        let changed = try tx.execute(
            """
            INSERT INTO legacy_sources (app_id, source, kind, settings, sealed_settings, open_until, created_at)
            VALUES (
                \(app), \(source.name), \(source.kind), \(try JSONText.sorted(source.settings)),
                \(source.sealedSettings), \(source.openUntil), \(source.createdAt))
            ON CONFLICT (app_id, source) DO UPDATE SET settings = excluded.settings,
                sealed_settings = excluded.sealed_settings, open_until = excluded.open_until
                WHERE legacy_sources.closed_at IS NULL
            """)
        guard changed == 1 else { throw StorageError.conflict }
    }

    /// Closes a source for good, and erases its keys. False if it is closed already, or does not exist.
    static func close(_ name: String, app: AppID, at moment: Moment, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            UPDATE legacy_sources SET closed_at = \(moment), sealed_settings = NULL
            WHERE app_id = \(app) AND source = \(name) AND closed_at IS NULL
            """) == 1
    }
}

extension LegacySourceKind: SQLConvertible {}
