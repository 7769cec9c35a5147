import Crypto
import GatehouseImport
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

@testable import GatehouseCore

/// A neutral file of an old system, and what an import does with it.
struct ImportedFile: Sendable {
    static let source = "old"

    var members: [ImportedMember]
    var options = ImportOptions()

    init(_ members: ImportedMember...) { self.members = members }
    init(_ members: [ImportedMember]) { self.members = members }

    struct Result: Sendable {
        var run: ImportRun
        var outcomes: [ImportOutcome]

        var counts: ImportCounts { get throws { try run.progress } }
        /// What happened to each record, such as `created` or `skipped held`.
        var words: [String] { ImportedFile.words(outcomes) }
        var notes: [[ImportCode]] { outcomes.map { $0.notes.map(\.code) } }
    }

    static func words(_ outcomes: [ImportOutcome]) -> [String] {
        outcomes.map { [$0.kind.rawValue, $0.code].compactMap(\.self).joined(separator: " ") }
    }

    // MARK: The file

    private func reader() throws -> NeutralFileReader {
        final class Bytes { var bytes: [UInt8] = [] }
        let file = Bytes()
        let header = NeutralHeader(source: Self.source, sourceKind: "firebase", from: [("project", "my-game")])
        var writer = try NeutralFileWriter(header) { file.bytes += $0 }
        for member in members { try writer.write(member) }
        _ = try writer.finish()
        return try NeutralFileReader(
            ImportInput(name: "file") {
                ImportInput.Stream(read: { limit in
                    let piece = file.bytes.prefix(limit)
                    file.bytes.removeFirst(piece.count)
                    return Array(piece)
                })
            })
    }

    func records() throws -> [NeutralFileReader.Record] {
        var reader = try reader()
        var records: [NeutralFileReader.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    /// A number for the content of the file.
    var digest: [UInt8] { get throws { Array(SHA256.hash(data: members.flatMap(\.bytes))) } }

    // MARK: What an import does

    /// The source, as an operator sets it before the first import.
    static func setSource(at core: TestCore) async throws {
        var settings = LegacySettings()
        settings.project = "my-game"
        try await core.operator().run(SetLegacySource(name: source, kind: .firebase, settings: settings))
    }

    func task(at core: TestCore) async throws -> ImportTask {
        let header = try reader().header
        let mapping = try await core.operator().run(
            .importMapping(source: Self.source, options: options, header: header))
        var survey = ImportSurvey(mapping)
        for record in try records() { survey.add(record) }
        return try survey.finish()
    }

    func plan(at core: TestCore) async throws -> [ImportOutcome] {
        try await core.operator().run(PlanImport(task(at: core), records()))
    }

    func begin(at core: TestCore) async throws -> (ImportTask, ImportRun) {
        let task = try await task(at: core)
        return (task, try await core.operator().run(BeginImport(task, digest: digest)))
    }

    /// Imports the whole file.
    @discardableResult
    func run(at core: TestCore) async throws -> Result {
        let (task, run) = try await begin(at: core)
        return try await goOn(run, task, at: core)
    }

    /// Goes on with a run after its checkpoint.
    ///
    /// - Parameter batches: after how many it is cut; nil for none.
    func goOn(_ run: ImportRun, _ task: ImportTask, at core: TestCore, batches: Int? = nil) async throws -> Result {
        var result = Result(run: run, outcomes: [])
        var rest = try records().filter { $0.line > Int(run.checkpoint) }[...]
        var count = 0
        while !rest.isEmpty {
            guard count < batches ?? .max else { return result }
            let written = try await core.operator().run(
                WriteImport(task, result.run, Array(rest.prefix(options.batch))))
            result.run = written.run
            result.outcomes += written.outcomes
            rest = rest.dropFirst(options.batch)
            count += 1
        }
        result.run = try await core.operator().run(FinishImport(result.run))
        return result
    }
}

extension ImportedMember {
    static func guest(_ id: String, device: String? = nil) -> ImportedMember {
        var member = ImportedMember(legacyID: id)
        member.registrationDate = 1_420_070_400_000
        if let device { member.devices = [ImportedDevice(.deviceID, .plain(device))] }
        return member
    }

    /// A member with a subject of Twitter, such as `123`.
    static func person(_ id: String, _ subject: String) -> ImportedMember {
        var member = ImportedMember(legacyID: id, status: .active)
        member.registrationDate = 1_420_070_400_000
        member.lastLoginDate = 1_700_000_000_000
        member.identities = [ImportedIdentity(provider: "twitter.com", subject: subject)]
        return member
    }

    /// The same member with a subject of Naver, too.
    func with(naver subject: String) -> ImportedMember {
        var member = self
        member.identities.append(ImportedIdentity(provider: "naver.com", subject: subject))
        return member
    }

    func with(_ change: (inout ImportedMember) -> Void) -> ImportedMember {
        var member = self
        change(&member)
        return member
    }
}

extension TestCore {
    /// What an import has written, a line for each member of the source by its legacy id. Ids that are drawn are left out.
    func imported() async throws -> [String] {
        try await database.read { tx in
            try tx.rows(
                """
                SELECT l.legacy_id, m.status, m.registered_at, m.last_login_at, m.version, m.ban_ends_at, m.withdraws_at,
                    (SELECT COUNT(*) FROM identities i WHERE i.user_id = l.user_id AND i.app_id = l.app_id),
                    (SELECT COUNT(*) FROM legacy_devices d WHERE d.user_id = l.user_id AND d.app_id = l.app_id),
                    (SELECT COUNT(*) FROM bans b WHERE b.user_id = l.user_id AND b.app_id = l.app_id),
                    (SELECT COUNT(*) FROM ledger e WHERE e.user_id = l.user_id AND e.app_id = l.app_id)
                FROM legacy_members l JOIN members m ON m.user_id = l.user_id AND m.app_id = l.app_id
                WHERE l.app_id = \(Self.app) ORDER BY l.legacy_id
                """
            ) { row in
                let numbers = try (2...10).map { index in
                    let number: Int64? = try row[index]
                    return number.map { String($0) } ?? "-"
                }
                return ([try row[0] as String, try row[1] as String] + numbers).joined(separator: " ")
            }
        }
    }

    /// The member of a legacy id.
    func member(ofLegacy id: String) async throws -> UserID? {
        try await database.read { tx in
            try LegacyQueries.member(id, source: ImportedFile.source, app: Self.app, in: tx)?.user
        }
    }
}
