import ArgumentParser
import GatehouseImport
import GatehousePlatform
import GatehouseStorage

/// The old system's own database, as the input of a conversion in the place of files.
struct OldDatabase: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            With nakama and supabase, in the place of files: read the system's own PostgreSQL, all of it as it is at this moment, and \
            change nothing there. The address has no password: that comes from PGPASSWORD, ~/.pgpass or --password-file.
            """, valueName: "postgres://USER@HOST:PORT/NAME"))
    var fromDatabase: String?
    @Option(help: "With --from-database: a file with the password. - is standard input.") var passwordFile: String?

    /// The rows of the system's players; nil if the players come from files.
    ///
    /// - Throws: ``ForeignDatabaseFailure``.
    func rows(_ kind: ImportKind) throws -> Rows? {
        guard let fromDatabase else {
            guard passwordFile == nil else { throw ValidationError("--password-file needs --from-database.") }
            return nil
        }
        guard let select = kind.select else {
            let kinds = ImportKind.allCases.filter { $0.select != nil }.map(\.rawValue).joined(separator: " and ")
            throw ValidationError("--from-database is for \(kinds), and not for \(kind.rawValue).")
        }
        let database: ForeignDatabase
        do {
            database = try ForeignDatabase(fromDatabase)
        } catch {
            let remedy = error == .hasPassword ? " Say it with PGPASSWORD or --password-file, and change it." : ""
            throw ValidationError("The address of --from-database is wrong: \(error).\(remedy)")
        }
        let password = try passwordFile.map { try OpenFile.text(of: $0) }
        return Rows(name: "\(database)", rows: try database.rows(of: select, password: password))
    }

    /// The rows of one snapshot, which are read once.
    struct Rows {
        let name: String
        let rows: ForeignRows

        /// Each row is a line.
        var input: ImportInput {
            ImportInput(name: name, isTables: true) {
                var bytes: ArraySlice<UInt8> = []
                return ImportInput.Stream { limit in
                    while bytes.count < limit, let row = try rows.next() {
                        bytes += row
                        bytes.append(0x0a)
                    }
                    let piece = bytes.prefix(limit)
                    bytes = bytes.dropFirst(piece.count)
                    return Array(piece)
                }
            }
        }
    }
}
