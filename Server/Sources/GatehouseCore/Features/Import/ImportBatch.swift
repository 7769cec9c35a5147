import GatehouseImport

/// Records of a file in its order, those that can't be read among them.
struct ImportBatch: Sendable {
    /// Those that can be read.
    let records: [ImportRecord]
    private let rejected: [ImportOutcome]

    init(_ records: some Sequence<NeutralFileReader.Record>, _ task: ImportTask) {
        var readable: [ImportRecord] = []
        var rejected: [ImportOutcome] = []
        for record in records {
            switch record.member {
            case .success(let member): readable.append(ImportRecord(member, line: record.line, task.mapping))
            case .failure(let problem): rejected.append(ImportOutcome(problem, line: record.line))
            }
        }
        self.records = readable
        self.rejected = rejected
    }

    /// The outcomes of all records, in the order of their lines.
    func outcomes(_ readable: [ImportOutcome]) -> [ImportOutcome] {
        rejected.isEmpty ? readable : (readable + rejected).sorted { $0.line < $1.line }
    }
}
