package import GatehouseImport
import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reads what an import from a source needs to know of the app, and refuses a file of another source.
package struct PrepareImport: Report {
    let source: String
    let options: ImportOptions
    let header: NeutralHeader

    package init(source: String, options: ImportOptions, header: NeutralHeader) {
        self.source = source
        self.options = options
        self.header = header
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> ImportMapping {
        let source = try ImportRules.source(source, app: view.app.id, in: tx)
        try ImportRules.check(header, from: source)
        return try ImportMapping(view.app, source, options)
    }
}

/// Says what an import would do with records, by what the database has now.
package struct PlanImport: Action {
    package static let permission = Permission.administer

    let task: ImportTask
    let records: [NeutralFileReader.Record]

    package init(_ task: ImportTask, _ records: [NeutralFileReader.Record]) {
        self.task = task
        self.records = records
    }

    package func perform(_ work: Work) async throws -> [ImportOutcome] {
        let (app, moment, vault) = (work.app.id, work.moment, work.services.vault)
        let batch = ImportBatch(records, task)
        return try await work.read { [task] tx in
            let key = try ImportRules.hashKey(of: task.mapping.source, app: app, vault: vault, in: tx)
            let decider = ImportDecider(task: task, hashKey: key, app: app, moment: moment)
            let verdicts = try decider.verdicts(of: batch.records, in: tx)
            return batch.outcomes(
                zip(batch.records, verdicts).map { record, verdict in
                    ImportOutcome(verdict, of: record)
                })
        }
    }
}

/// Begins an import. One process at a time imports players of an app.
package struct BeginImport: Action {
    package static let permission = Permission.administer

    let task: ImportTask
    let digest: [UInt8]
    let records: Int?

    /// - Parameter records: how many the file has.
    package init(_ task: ImportTask, digest: [UInt8], records: Int? = nil) {
        self.task = task
        self.digest = digest
        self.records = records
    }

    package var audited: AuditedRun? { AuditedRun(on: .imports) }

    package func perform(_ work: Work) async throws -> ImportRun {
        let id = TimeOrderedID.session(at: work.moment, random: work.services.random).rawValue
        var run = ImportRun(
            id: id, source: task.mapping.source, fileDigest: digest, begunBy: work.actor.origin.name ?? "operator",
            begunAt: work.moment)
        run.options = try JSONText.sorted(task.options)
        run.records = records
        return try await work.transact { [run] change, tx in try ImportRules.begin(run, change, in: tx) }
    }
}

/// Goes on with an import that was cut. The file must be the same.
package struct ResumeImport: Action {
    package static let permission = Permission.administer

    let id: String
    let digest: [UInt8]

    package init(id: String, digest: [UInt8]) {
        self.id = id
        self.digest = digest
    }

    package func perform(_ work: Work) async throws -> ImportRun {
        try await work.transact { change, tx in try ImportRules.resume(id, digest: digest, change, in: tx) }
    }
}

/// Ends an import whose records are all written.
package struct FinishImport: Action {
    package static let permission = Permission.administer

    let run: ImportRun

    package init(_ run: ImportRun) {
        self.run = run
    }

    package func perform(_ work: Work) async throws -> ImportRun {
        var done = run
        done.state = .done
        done.leasedUntil = nil
        done.endedAt = work.moment
        return try await work.transact { [done] change, tx in
            try ImportRules.advance(run, to: done, change, in: tx)
            return done
        }
    }
}

/// Reads an import.
package struct ReadImport: Report {
    package static let role = OperatorRole.support

    let id: String

    package init(id: String) {
        self.id = id
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> ImportRun {
        try ImportRules.run(id, app: view.app.id, in: tx)
    }
}

/// Lists imports, newest first.
package struct ListImports: Report {
    package static let role = OperatorRole.support

    let last: String?
    let limit: Int

    /// - Parameter last: the last run of the page before.
    package init(before last: String? = nil, limit: Int = 100) {
        self.last = last
        self.limit = min(max(limit, 1), 1_000)
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [ImportRun] {
        try ImportRunQueries.runs(of: view.app.id, before: last, limit: limit, in: tx)
    }
}
