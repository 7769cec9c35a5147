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

/// Where the files of an export go, one after the other.
package protocol ExportOutput: AnyObject {
    /// Begins a file. The one before has ended.
    func begin(_ name: String) throws
    func write(_ bytes: [UInt8]) throws
    /// Ends the file that was begun.
    ///
    /// - Parameter records: how many it has.
    func end(records: Int) throws
}

extension ExportOutput {
    /// Writes a whole file.
    package func add(_ name: String, _ bytes: [UInt8], records: Int = 0) throws {
        try begin(name)
        try write(bytes)
        try end(records: records)
    }
}

/// What an export has written, and what it has left out.
package struct ExportTotals: Sendable, Equatable {
    /// When the snapshot was taken.
    package var takenDate: Int64 = 0
    package var members = 0
    package var identities = 0
    package var bans = 0
    package var ledgerEntries = 0
    package private(set) var losses: [ExportLoss: Int] = [:]

    package init() {}

    package mutating func lose(_ loss: ExportLoss, _ count: Int = 1) {
        guard count > 0 else { return }
        losses[loss, default: 0] += count
    }

    mutating func add(_ member: ImportedMember) {
        members += 1
        identities += member.identities.count
        bans += member.bans.count
    }

    /// The text of `MISSING.txt`.
    ///
    /// - Parameter never: what the target never takes.
    package func missing(never: [String]) -> String {
        let counted = ExportLoss.allCases.compactMap { loss in losses[loss].map { "\($0) \(loss.message)" } }
        let lines = counted + never
        return lines.isEmpty ? "Nothing is missing.\n" : lines.map { "- \($0)\n" }.joined()
    }
}

/// What an export could not take along.
package enum ExportLoss: String, Sendable, CaseIterable, Codable {
    /// Members who have withdrawn.
    case withdrawn
    /// Members whose last identity is gone.
    case missing
    case graceBans
    case identities
    case bans
    case reasons
    /// Identities of providers that the target does not have.
    case providers
    case banEnds
    case pastBans
    case withdrawals
    case guests
    /// Members too large for a file of the target.
    case tooLarge

    /// What it says in `MISSING.txt`, after the number.
    package var message: String {
        switch self {
        case .withdrawn: "members who have withdrawn. Nothing of them is stored but their user ids."
        case .missing: "members without an identity, who can be restored here for a time."
        case .graceBans: "grace bans. These members are exported as if they had none."
        case .identities: "identities whose id is longer than 256 characters or has control characters."
        case .bans: "bans of members with more than 64: the oldest ones."
        case .reasons: "reasons of bans that were shortened to 1,000 characters or had control characters."
        case .providers: "identities of providers that the target does not have."
        case .banEnds: "bans that end by themselves. In the target they stay until somebody lifts them."
        case .pastBans: "bans that are over."
        case .withdrawals:
            "withdrawals under way. In the target these members are like others: withdraw them there in time."
        case .guests:
            """
            guests. Their only way in is a key of their device, which no other system knows. They get their account by an access token of \
            this server, as long as it runs: docs/export.md, Guests.
            """
        case .tooLarge: "members who are too large for a file of the target."
        }
    }
}
