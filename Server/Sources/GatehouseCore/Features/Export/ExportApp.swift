package import GatehouseImport
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Writes all members of an app into files, for another server or another system. They are from one snapshot, which is read page by page.
/// The audit log tells that it has begun.
package struct ExportApp: Action {
    package static let permission = Permission.administer

    /// How many entries a file of the ledger has, and how many are read at once.
    private static let (entriesPerFile, entriesPerPage) = (100_000, 1_000)

    let format: ExportFormat
    let withHistory: Bool
    let membersPerFile: Int
    let open: @Sendable () throws -> any ExportOutput

    /// - Parameters:
    ///   - withHistory: whether the ledger is exported, too.
    ///   - membersPerFile: how many members a neutral file has at most.
    ///   - open: begins with empty files. It is called again if the database was lost and is read from the beginning.
    package init(
        _ format: ExportFormat, withHistory: Bool = false, membersPerFile: Int = MemberExporter.membersPerFile,
        to open: @escaping @Sendable () throws -> any ExportOutput
    ) {
        self.format = format
        self.withHistory = withHistory
        self.membersPerFile = membersPerFile
        self.open = open
    }

    package var audited: AuditedRun? { AuditedRun(on: .app) }

    package func perform(_ work: Work) async throws -> ExportTotals {
        let (app, moment) = (work.app, work.moment)
        let format = format.rawValue
        _ = try await work.transact { change, tx in try change.record(.membersExported, ["format": format], in: tx) }
        return try await work.report { [self] tx in try write(app, at: moment, in: tx) }
    }

    private func write(_ app: App, at moment: Moment, in tx: Reader) throws -> ExportTotals {
        let output = try open()
        // The server is an OpenID issuer for the next one: guests come with its access tokens.
        let header = NeutralHeader(
            source: app.id.rawValue, sourceKind: LegacySourceKind.openid.rawValue, takenDate: moment.milliseconds,
            from: [("app", app.id.rawValue)])
        var exporter = try MemberExporter(format, header: header, output: output, membersPerFile: membersPerFile)
        var last: UserID?
        while true {
            let page = try ExportedPage(after: last, of: app, at: moment, in: tx)
            guard let end = page.last else { break }
            try page.write(to: &exporter)
            last = end
        }
        try exporter.finish()
        var totals = exporter.totals
        if withHistory { totals.ledgerEntries = try writeLedger(of: app.id, to: output, in: tx) }
        return totals
    }

    private func writeLedger(of app: AppID, to output: any ExportOutput, in tx: Reader) throws -> Int {
        var (count, records): (Int, Int) = (0, 0)
        var last: LedgerEntry?
        while true {
            let entries = try LedgerQueries.entries(of: app, after: last, limit: Self.entriesPerPage, in: tx)
            guard let end = entries.last else { break }
            if records == 0 {
                let number = String(count / Self.entriesPerFile + 1)
                let zeros = String(repeating: "0", count: max(0, 3 - number.utf8.count))
                try output.begin("ledger-\(zeros)\(number).jsonl")
            }
            try output.write(entries.flatMap { ExportedEntry(entry: $0).line })
            records += entries.count
            count += entries.count
            last = end
            if records >= Self.entriesPerFile {
                try output.end(records: records)
                records = 0
            }
        }
        if records > 0 { try output.end(records: records) }
        return count
    }
}
