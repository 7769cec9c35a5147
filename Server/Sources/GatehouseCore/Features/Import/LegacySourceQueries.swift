import Crypto
import GatehouseJSON
import GatehousePlatform
package import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// A system that players come from, as an operator has set it for an app.
package struct LegacySource: Sendable, Hashable {
    package let name: String
    package let kind: LegacySourceKind
    package var settings: LegacySettings
    /// The exchange ends then, if the operator doesn't close the source before.
    package var openUntil: Moment
    package let createdAt: Moment
    package var closedAt: Moment?
    /// ``LegacySecrets``; nil when the source is closed.
    var sealedSettings: [UInt8]?

    func isOpen(at moment: Moment) -> Bool { closedAt == nil && moment < openUntil }
}

/// The keys of a source. They are stored sealed, and erased when the source is closed.
struct LegacySecrets: Sendable, Codable {
    let hashKey: LegacyHashKey
    /// The old system's key, with which it signs tokens or lets its server ask.
    var key: ProviderToken?
}

/// The random key of a source, with which ids of its devices and of its erased members are hashed. The database
/// alone doesn't let anybody try ids, even simple ones.
struct LegacyHashKey: Sendable, Hashable, Codable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(random: RandomSource) {
        bytes = random.bytes(32)
    }

    /// The hash of a device's id.
    func hash(ofDevice value: String) -> [UInt8] { hash(ofDeviceDigest: Array(SHA256.hash(data: Data(value.utf8)))) }

    /// The hash of a device's id that the file has as SHA-256.
    func hash(ofDeviceDigest digest: [UInt8]) -> [UInt8] { code(over: Data(digest), label: "device") }

    /// The hash of the legacy id of a member who has withdrawn.
    func hash(ofErased legacyID: String) -> [UInt8] { code(over: Data(legacyID.utf8), label: "erased") }

    private func code(over data: Data, label: String) -> [UInt8] {
        var code = HMAC<SHA256>(key: SymmetricKey(data: bytes))
        code.update(data: Data("\(label)\0".utf8))
        code.update(data: data)
        return Array(code.finalize())
    }
}

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
