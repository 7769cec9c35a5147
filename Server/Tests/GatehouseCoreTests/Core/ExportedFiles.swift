import GatehouseImport
import GatehouseSecurity
import GatehouseWire
import Synchronization
import TestDatabases

@testable import GatehouseCore

/// The files of an export, in memory.
final class ExportedFiles: ExportOutput, Sendable {
    struct File: Sendable {
        let name: String
        var bytes: [UInt8] = []
        var records: Int?
    }

    private let written = Mutex<[File]>([])
    /// What an export waits for when it begins its first file: it has read its first page then.
    private let hold: Hold?

    init(hold: Hold? = nil) {
        self.hold = hold
    }

    var files: [File] { written.withLock { $0 } }

    func begin(_ name: String) throws {
        written.withLock { $0.append(File(name: name)) }
        hold?.wait()
    }

    func write(_ bytes: [UInt8]) throws { written.withLock { $0[$0.count - 1].bytes += bytes } }
    func end(records: Int) throws { written.withLock { $0[$0.count - 1].records = records } }

    /// Exports the app of a core.
    ///
    /// - Parameter membersPerFile: how many members a neutral file has at most.
    static func export(
        _ core: TestCore, as format: ExportFormat = .gatehouse, withHistory: Bool = false,
        membersPerFile: Int = 100_000,
        hold: Hold? = nil
    ) async throws -> (files: [File], totals: ExportTotals) {
        let output = ExportedFiles(hold: hold)
        let export = ExportApp(format, withHistory: withHistory, membersPerFile: membersPerFile) { output }
        let totals = try await core.operator().run(export)
        return (output.files, totals)
    }

    /// The records of neutral files, as an import reads them.
    static func members(_ files: [File]) throws -> [ImportedMember] {
        var members: [ImportedMember] = []
        for file in files where file.name.hasPrefix("members-") {
            var rest = file.bytes[...]
            var reader = try NeutralFileReader(
                ImportInput(name: file.name) {
                    ImportInput.Stream(read: { limit in
                        let piece = rest.prefix(limit)
                        rest = rest.dropFirst(limit)
                        return Array(piece)
                    })
                })
            while let record = try reader.next() { members.append(try record.member.get()) }
        }
        return members
    }
}
