import GatehouseJSON

/// Writes the files of an export: one neutral record after the other becomes an entry of the format's files.
package struct MemberExporter {
    /// How many members a neutral file has.
    package static let membersPerFile = 100_000

    package private(set) var totals = ExportTotals()
    private let header: NeutralHeader
    private let takenDate: Int64
    private let target: ExportTarget?
    private let output: any ExportOutput
    private let limit: Int
    /// The number of files that were begun.
    private var files = 0
    /// What the file that was begun has.
    private var (records, size) = (0, 0)
    private var neutral: NeutralFileWriter?

    /// - Parameters:
    ///   - header: of neutral files. Its date is that of the snapshot.
    ///   - membersPerFile: how many members a neutral file has at most.
    package init(
        _ format: ExportFormat, header: NeutralHeader, output: any ExportOutput,
        membersPerFile: Int = Self.membersPerFile
    ) throws {
        self.header = header
        self.output = output
        target = format.target
        takenDate = header.takenDate ?? 0
        totals.takenDate = takenDate
        limit = max(1, membersPerFile)
        for companion in target?.companions ?? [] { try output.add(companion.name, Array(companion.text.utf8)) }
    }

    /// Counts what the caller could not make a record of.
    package mutating func lose(_ loss: ExportLoss, _ count: Int = 1) { totals.lose(loss, count) }

    /// Adds a member. Identities that no reader takes are left out and counted.
    package mutating func add(_ member: ImportedMember) throws {
        var member = member
        let all = member.identities
        member.identities = Array(all.filter(Self.isReadable).prefix(ImportLimits.identities))
        totals.lose(.identities, all.count - member.identities.count)
        if member.status == .active, member.identities.isEmpty { member.status = .unreachable }
        if let target { try add(member, target) } else { try addNeutral(member) }
    }

    private static func isReadable(_ identity: ImportedIdentity) -> Bool {
        [identity.provider, identity.subject, identity.issuer, identity.namespace].allSatisfy {
            $0.map(ImportLimits.isID) ?? true
        }
    }

    private mutating func addNeutral(_ member: ImportedMember) throws {
        var member = member
        if !isReadable(member) { member.extra = nil }
        guard isReadable(member) else { return totals.lose(.tooLarge) }
        if records == limit { try end() }
        if neutral == nil {
            try begin("members", ".jsonl")
            neutral = try NeutralFileWriter(header) { [output] in try output.write($0) }
        }
        try neutral?.write(member)
        records += 1
        totals.add(member)
    }

    /// Whether an import takes the record.
    private func isReadable(_ member: ImportedMember) -> Bool { (try? ImportedMember(line: member.bytes)) != nil }

    private mutating func add(_ member: ImportedMember, _ target: ExportTarget) throws {
        var next = totals
        let entry = target.entry(ExportedPlayer(member, at: takenDate), &next)
        let frame = target.begin.utf8.count + target.end.utf8.count
        guard entry.count + frame <= target.bytes else { return totals.lose(.tooLarge) }
        totals = next
        let separator = Array(target.separator.utf8)
        if records == target.entries || records > 0 && size + separator.count + entry.count > target.bytes {
            try end()
        }
        if records == 0 {
            try begin(target.name, target.suffix)
            try output.write(Array(target.begin.utf8))
            size = frame
        } else {
            try output.write(separator)
            size += separator.count
        }
        try output.write(entry)
        size += entry.count
        records += 1
        totals.add(member)
    }

    private mutating func begin(_ name: String, _ suffix: String) throws {
        files += 1
        let number = String(files)
        try output.begin("\(name)-\(String(repeating: "0", count: max(0, 3 - number.utf8.count)))\(number)\(suffix)")
    }

    private mutating func end() throws {
        if neutral != nil {
            _ = try neutral?.finish()
            neutral = nil
        } else if let target {
            try output.write(Array(target.end.utf8))
        }
        try output.end(records: records)
        records = 0
    }

    /// Ends the last file. An app without members has one neutral file without records, so that a reader sees that the export is whole.
    package mutating func finish() throws {
        if files == 0, target == nil {
            try begin("members", ".jsonl")
            neutral = try NeutralFileWriter(header) { [output] in try output.write($0) }
            return try end()
        }
        if records > 0 { try end() }
    }
}
