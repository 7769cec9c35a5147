import GatehouseImport
import GatehousePlatform
import GatehouseWire

/// `manifest.json`: what an export has, and by which digests its files are known.
struct ExportManifest: Codable {
    struct File: Codable {
        let name: String
        let records: Int
        let bytes: Int
        let sha256: String
    }

    var schema = "gatehouse.export/1"
    var version = "\(GatehouseVersion.current)"
    let app: String
    let format: String
    /// The form of the members' files, if they are neutral ones.
    let records: String?
    let takenDate: Int64
    let members: Int
    let identities: Int
    let bans: Int
    let ledgerEntries: Int
    let missing: [String: Int]
    var files: [File] = []

    init(app: String, format: ExportFormat, totals: ExportTotals) {
        self.app = app
        self.format = format.rawValue
        takenDate = totals.takenDate
        records = format == .gatehouse ? NeutralHeader.format : nil
        members = totals.members
        identities = totals.identities
        bans = totals.bans
        ledgerEntries = totals.ledgerEntries
        missing = totals.losses.reduce(into: [:]) { $0[$1.key.rawValue] = $1.value }
    }
}
