package import GatehouseImport
import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

extension UseCase where Self == Read<ImportMapping> {
    /// What an import from a source needs to know of the app.
    ///
    /// - Throws: when it is read, a refusal of a file of another source.
    package static func importMapping(source: String, options: ImportOptions, header: NeutralHeader) -> Self {
        Read { context, tx in
            let source = try ImportRules.source(source, app: context.app.id, in: tx)
            try ImportRules.check(header, from: source)
            return try ImportMapping(context.app, source, options)
        }
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

extension ImportRun {
    /// The least role that sees imports.
    package static let role = OperatorRole.support
}

extension UseCase where Self == Read<ImportRun> {
    /// An import.
    package static func importRun(_ id: String) -> Self {
        Read(as: ImportRun.role) { context, tx in try ImportRules.run(id, app: context.app.id, in: tx) }
    }
}

extension UseCase where Self == Read<[ImportRun]> {
    /// Imports, newest first.
    ///
    /// - Parameter last: the last run of the page before.
    package static func importRuns(before last: String? = nil, limit: Int = 100) -> Self {
        Read(as: ImportRun.role) { context, tx in
            try ImportRunQueries.runs(of: context.app.id, before: last, limit: min(max(limit, 1), 1_000), in: tx)
        }
    }
}

/// Imports of members: their runs, and what one process at a time does.
enum ImportRules {
    /// How long a run belongs to the process that has written its last batch. One that was killed is gone on with after that.
    static let leaseSeconds: Int64 = 30

    /// A source whose ids of devices and of withdrawn members can still be recognized.
    static func source(_ name: String, app: AppID, in tx: Reader) throws -> LegacySource {
        guard let source = try LegacySourceQueries.source(name, app: app, in: tx) else {
            throw ImportFailure(.noSource, "The app has no source \(name).")
        }
        guard source.closedAt == nil, source.sealedSettings != nil else {
            throw ImportFailure(.noSource, "The source \(name) is closed.")
        }
        return source
    }

    static func hashKey(of name: String, app: AppID, vault: KeyVault, in tx: Reader) throws -> LegacyHashKey {
        let source = try source(name, app: app, in: tx)
        return try LegacySourceRules.secrets(of: source, app: app, vault: vault).hashKey
    }

    /// Refuses a file of another system or project than the source.
    static func check(_ header: NeutralHeader, from source: LegacySource) throws {
        guard header.sourceKind.isExactly(source.kind.rawValue) else {
            throw ImportFailure(
                .otherSource,
                "The file comes from \(header.sourceKind), and the source \(source.name) is of the kind \(source.kind.rawValue)."
            )
        }
        let project = header.from.first { $0.name == "project" || $0.name == "title" }?.value
        guard let project, let own = source.settings.project, !project.isExactly(own) else { return }
        throw ImportFailure(
            .otherSource, "The file comes from \(project), and the source \(source.name) is \(own).")
    }

    static func run(_ id: String, app: AppID, in tx: Reader) throws -> ImportRun {
        guard let run = try ImportRunQueries.run(id, app: app, in: tx) else {
            throw ImportFailure(.noRun, "The app has no import \(id).")
        }
        return run
    }

    /// Upper bound on the imports of a state, the newest first.
    private static let importsInState = 200

    /// The state of an app's imports, as the audit shows it.
    static func state(of app: AppID, in tx: Reader) throws -> TargetState {
        var state = TargetState()
        for run in try ImportRunQueries.runs(of: app, limit: importsInState, in: tx) {
            state.values["\(run.id).source"] = run.source
            state.values["\(run.id).state"] = run.state.rawValue
            state.values["\(run.id).records"] = run.records.map { String($0) }
        }
        return state
    }

    static func begin(_ run: ImportRun, _ change: Change, in tx: Transaction) throws -> ImportRun {
        // Two first runs have no row that both could lock.
        try AppRules.lock(change.app.id, in: tx)
        _ = try source(run.source, app: change.app.id, in: tx)
        try ImportRunQueries.insert(run, app: change.app.id, in: tx)
        try change.record(.importBegun, ["run": run.id, "source": run.source], in: tx)
        return try lease(run, change, in: tx)
    }

    /// Goes on with a run that was cut, with the same file.
    static func resume(_ id: String, digest: [UInt8], _ change: Change, in tx: Transaction) throws -> ImportRun {
        let app = change.app.id
        try AppRules.lock(app, in: tx)
        let run = try run(id, app: app, in: tx)
        guard run.fileDigest == digest else {
            throw ImportFailure(.otherFile, "The import \(id) has begun with another file.")
        }
        guard run.state == .begun else { throw ImportFailure(.ended, "The import \(id) is \(run.state.rawValue).") }
        var resumed = try lease(run, change, in: tx)
        (resumed.resumedAt, resumed.resumedFrom) = (change.moment, try run.progress.read)
        try ImportRunQueries.resume(resumed, app: app, in: tx)
        return resumed
    }

    /// Ends a run for good, so that nobody goes on with it while its members are deleted. One that is undone may be undone again, because
    /// the first time may have been cut.
    static func beginUndo(_ id: String, _ change: Change, in tx: Transaction) throws -> ImportRun {
        let app = change.app.id
        try AppRules.lock(app, in: tx)
        let run = try run(id, app: app, in: tx)
        guard run.state != .undone else { return run }
        guard run.leasedUntil.map({ $0 <= change.moment }) ?? true else {
            throw ImportFailure(.busy, "Another process goes on with the import \(id).")
        }
        var undone = run
        undone.state = .undone
        undone.leasedUntil = nil
        undone.endedAt = change.moment
        try ImportRunQueries.advance(undone, from: run.checkpoint, app: app, in: tx)
        try change.record(.importUndone, ["run": id, "source": run.source], in: tx)
        return undone
    }

    /// How long an import's players are watched for.
    private static let watchedSeconds: Int64 = 30 * 86_400
    private static let watchedRuns = 100

    /// The identities of a provider that imports of the last time have brought.
    struct ImportedIdentities {
        var count: Int
        /// When the first of these imports has begun.
        var since: Moment
    }

    static func importedIdentities(
        of app: AppID, at moment: Moment, in tx: Reader
    ) throws -> [Provider: ImportedIdentities] {
        var identities: [Provider: ImportedIdentities] = [:]
        let begin = moment.adding(seconds: -watchedSeconds)
        for run in try ImportRunQueries.runs(of: app, limit: watchedRuns, in: tx)
        where run.begunAt >= begin && run.state != .undone {
            for (name, count) in try run.progress.identities where count > 0 {
                let found = identities[Provider(name)] ?? ImportedIdentities(count: 0, since: run.begunAt)
                identities[Provider(name)] = ImportedIdentities(
                    count: found.count + count, since: min(found.since, run.begunAt))
            }
        }
        return identities
    }

    /// Whether players were ever imported into an app.
    static func hasRuns(of app: AppID, in tx: Reader) throws -> Bool {
        try !ImportRunQueries.runs(of: app, limit: 1, in: tx).isEmpty
    }

    private static func lease(_ run: ImportRun, _ change: Change, in tx: Transaction) throws -> ImportRun {
        var leased = run
        let end = change.moment.adding(seconds: leaseSeconds)
        guard
            try ImportRunQueries.lease(run.id, until: end, app: change.app.id, at: change.moment, in: tx)
        else {
            throw ImportFailure(
                .busy,
                "Another process imports players of this app, or has been killed within the last \(leaseSeconds) seconds."
            )
        }
        leased.leasedUntil = end
        return leased
    }

    /// Writes how far a run has come, in the transaction of what it has written.
    ///
    /// - Parameter run: as this process has read it.
    static func advance(_ run: ImportRun, to next: ImportRun, _ change: Change, in tx: Transaction) throws {
        let app = change.app.id
        let stored = try self.run(run.id, app: app, in: tx)
        guard stored.state == .begun, stored.leasedUntil == run.leasedUntil, stored.checkpoint == run.checkpoint else {
            throw ImportFailure(.busy, "Another process has gone on with the import \(run.id).")
        }
        try ImportRunQueries.advance(next, from: run.checkpoint, app: app, in: tx)
    }
}

/// Why a whole import can't begin or go on.
package struct ImportFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// The app has no such source, or it is closed.
        case noSource
        /// The file comes from another system or project than the source.
        case otherSource
        /// An option names what the app does not have.
        case badOption
        /// The operator has not said whose the subjects of a provider are, or they are not those of the app's provider.
        case unasserted
        /// Too many identities of a provider have another form than theirs.
        case misfits
        /// A record has no user id that can be kept.
        case noUserIDs
        /// The app has no such run.
        case noRun
        /// The run is done or undone.
        case ended
        /// The file is another one than that with which the run has begun.
        case otherFile
        /// Another process imports players of this app.
        case busy
    }

    package let code: Code
    package let message: String

    package var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
