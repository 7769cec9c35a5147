package import GatehouseImport
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Writes the next records of an import, in one transaction with its checkpoint. If the database does not take them, they are written by
/// halves, and the one that it does not take is rejected.
package struct WriteImport: Action {
    package static let permission = Permission.administer

    /// What was written.
    package struct Progress: Sendable {
        package fileprivate(set) var run: ImportRun
        package fileprivate(set) var outcomes: [ImportOutcome] = []
        /// How long the longest of its transactions took, without the commit. SQLite lets nobody else write meanwhile.
        package fileprivate(set) var milliseconds: Int64 = 0

        private static let longest: Int64 = 200
        private static let fewest = 10

        /// How many records the next batch has, so that logins do not wait long for it.
        ///
        /// - Parameter size: how many this one was to have.
        package func size(after size: Int, atMost limit: Int) -> Int {
            if milliseconds > Self.longest { return max(size / 2, min(Self.fewest, limit)) }
            return milliseconds < Self.longest / 4 ? min(size * 2, limit) : size
        }
    }

    let task: ImportTask
    let run: ImportRun
    let records: [NeutralFileReader.Record]

    /// - Parameter run: as the action before has returned it.
    package init(_ task: ImportTask, _ run: ImportRun, _ records: [NeutralFileReader.Record]) {
        self.task = task
        self.run = run
        self.records = records
    }

    package func perform(_ work: Work) async throws -> Progress {
        var progress = Progress(run: run)
        try await write(records[...], &progress, work)
        return progress
    }

    private func write(
        _ records: ArraySlice<NeutralFileReader.Record>, _ progress: inout Progress, _ work: Work
    ) async throws {
        guard let last = records.last else { return }
        let batch = ImportBatch(records, task)
        let clock = work.services.environment.monotonicNanoseconds
        let begin = progress.run
        do {
            let (run, outcomes, nanoseconds) = try await work.transact { change, tx in
                let start = clock()
                let outcomes = batch.outcomes(try write(batch.records, change, in: tx))
                let next = try advanced(begin, to: last.line, outcomes, change)
                try ImportRules.advance(begin, to: next, change, in: tx)
                return (next, outcomes, clock() &- start)
            }
            progress.run = run
            progress.outcomes += outcomes
            progress.milliseconds = max(progress.milliseconds, Int64(clamping: nanoseconds / 1_000_000))
        } catch  where Self.isOfRecord(error) {
            guard records.count > 1 else { return try await reject(last, batch, error, &progress, work) }
            let middle = records.startIndex + records.count / 2
            try await write(records[..<middle], &progress, work)
            try await write(records[middle...], &progress, work)
        }
    }

    private func write(_ records: [ImportRecord], _ change: Change, in tx: Transaction) throws -> [ImportOutcome] {
        let app = change.app.id
        let key = try ImportRules.hashKey(of: task.mapping.source, app: app, vault: change.vault, in: tx)
        let decider = ImportDecider(task: task, hashKey: key, app: app, moment: change.moment)
        let writer = ImportWriter(task: task, run: run.id, hashKey: key, change)
        return try zip(records, decider.verdicts(of: records, in: tx)).map { record, verdict in
            try writer.write(verdict, of: record, in: tx)
        }
    }

    private func reject(
        _ record: NeutralFileReader.Record, _ batch: ImportBatch, _ error: any Error, _ progress: inout Progress,
        _ work: Work
    ) async throws {
        let outcomes = batch.records.map { ImportOutcome(refused: $0, error) }
        let begin = progress.run
        progress.run = try await work.transact { change, tx in
            let next = try advanced(begin, to: record.line, outcomes, change)
            try ImportRules.advance(begin, to: next, change, in: tx)
            return next
        }
        progress.outcomes += outcomes
    }

    private func advanced(
        _ run: ImportRun, to line: Int, _ outcomes: [ImportOutcome], _ change: Change
    ) throws -> ImportRun {
        var next = run
        var counts = try run.progress
        for outcome in outcomes { counts.add(outcome) }
        next.counts = try JSONText.sorted(counts)
        next.checkpoint = Int64(line)
        next.leasedUntil = change.moment.adding(seconds: ImportRules.leaseSeconds)
        return next
    }

    /// Whether an error may be the fault of one record. A database that is full or away fails every record.
    private static func isOfRecord(_ error: any Error) -> Bool {
        switch error {
        case is Refusal: true
        case StorageError.conflict, StorageError.constraintViolated, StorageError.duplicate, StorageError.nulInText:
            true
        // PostgreSQL's classes of errors in data, of violated constraints and of what is too large.
        case StorageError.failed(let code, _): ["22", "23", "54"].contains { code.begins(with: $0) }
        default: false
        }
    }
}
