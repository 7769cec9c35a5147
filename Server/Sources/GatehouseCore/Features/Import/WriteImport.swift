package import GatehouseImport
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
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
        var created: [Draft] = []
        let outcomes = try zip(records, decider.verdicts(of: records, in: tx)).map { record, verdict in
            try writer.write(verdict, of: record, in: tx, &created)
        }
        try tx.write(created)
        return outcomes
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

/// Writes what was decided about the records of a batch, in its transaction.
struct ImportWriter {
    let task: ImportTask
    let run: String
    let hashKey: LegacyHashKey
    /// By the import and not by the operator who runs it, so that what it has done is known from what operators have.
    let change: Change

    private var app: AppID { change.app.id }
    private var source: String { task.mapping.source }

    init(task: ImportTask, run: String, hashKey: LegacyHashKey, _ change: Change) {
        self.task = task
        self.run = run
        self.hashKey = hashKey
        var own = change
        own.origin = .system(task.name, reason: "run \(run)")
        self.change = own
    }

    /// - Parameter created: receives the rows of a new member, which the caller writes together with those of others.
    func write(
        _ verdict: ImportVerdict, of record: ImportRecord, in tx: Transaction, _ created: inout [Draft]
    ) throws -> ImportOutcome {
        var outcome = ImportOutcome(verdict, of: record)
        switch verdict.decision {
        case .skip, .unchanged: break
        case .create(let devices):
            let draft = tx.draft()
            outcome.user = try create(record, devices, in: draft)
            created.append(draft)
        case .adopt(let user): try adopt(user, record, in: tx)
        case .extend(let step): try extend(step, record, in: tx)
        }
        return outcome
    }

    private func legacyMember(_ record: ImportRecord, _ user: UserID) -> LegacyMember {
        let imported = record.member
        var member = LegacyMember(
            source: source, legacyID: imported.legacyID, user: user, run: run, importedAt: change.moment)
        member.digest = record.digest
        member.validSince = imported.validSinceDate.map { Moment(milliseconds: $0) }
        member.hasLostIdentities = imported.lost.contains(.identities)
        return member
    }

    // MARK: A new member

    private func create(
        _ record: ImportRecord, _ devices: [ImportRecord.Device], in tx: Draft
    ) throws -> UserID {
        let imported = record.member
        let bans = ImportBans(of: imported, at: change.moment)
        // An id drawn from the date of the registration would be one of a few: those before 2024 begin alike.
        let kept = task.options.userIDs == .keep ? imported.userID.map { UserID($0) } : nil
        let user = kept ?? TimeOrderedID.user(at: change.moment, random: change.random)
        let registered = past(imported.registrationDate) ?? change.moment
        let lastLogin = max(past(imported.lastLoginDate) ?? registered, registered)
        var account = Account(
            app: app, user: user, status: .normal, registrationDate: registered.milliseconds,
            lastLoginDate: lastLogin.milliseconds, version: 0, generation: 0, mappings: [])
        account.activeDay = change.app.zone.day(of: lastLogin)
        account.holds.withdrawsAt = imported.gracePeriodDate.map { Moment(milliseconds: $0) }
        if let ban = bans.current {
            let id = try BanRules.insertImported(ban, of: user, change, in: tx)
            account.holds.ban = try BanRules.recordImported(ban, id, of: user, change, in: tx)
        }
        account.status = account.holds.status
        try MemberQueries.insertImported(account, in: tx)
        for identity in record.identities {
            let date = past(identity.registeredAt?.milliseconds) ?? registered
            try MemberQueries.insertIdentity(identity.key, of: account, at: date, in: tx)
        }
        try LegacyQueries.insert(legacyMember(record, user), app: app, in: tx)
        try insert(devices, of: user, in: tx)
        for ban in bans.past { _ = try BanRules.insertImported(ban, of: user, change, in: tx) }
        if let end = account.holds.withdrawsAt {
            try change.record(.withdrawalRequested(end: end), of: user, in: tx)
        }
        try change.record(.memberImported(source: source), of: user, in: tx)
        return user
    }

    /// A date of the old system; nil if there is none. Its clock may be ahead.
    private func past(_ date: Int64?) -> Moment? {
        date.map { Moment(milliseconds: min($0, change.moment.milliseconds)) }
    }

    private func insert(_ devices: [ImportRecord.Device], of user: UserID, in tx: Draft) throws {
        for device in devices {
            try LegacyQueries.insertDevice(
                hashKey.hash(ofDeviceDigest: device.digest), device.kind, of: user, source: source, app: app, in: tx)
        }
    }

    // MARK: A member who is there

    /// Gives a member who came before the file its legacy id, and changes nothing else.
    private func adopt(_ user: UserID, _ record: ImportRecord, in tx: Transaction) throws {
        guard try MemberQueries.lockUnlessWithdrawn(user, app: app, in: tx) else { throw StorageError.conflict }
        var member = legacyMember(record, user)
        // The run has not brought the member, and undoing it must not take the member away.
        member.run = nil
        try LegacyQueries.insert(member, app: app, in: tx)
        try change.record(.memberImported(source: source), of: user, in: tx)
    }

    private func extend(_ step: ImportExtension, _ record: ImportRecord, in tx: Transaction) throws {
        try LegacyQueries.update(step.legacy, app: app, in: tx)
        guard step.changesMember else { return }
        guard !step.account.hasLapsed(at: change.moment) else {
            throw AttemptFailure.unsettled(LapsedMember(app: app, user: step.account.user))
        }
        let account = try MemberRules.take(step.account, in: tx)
        for identity in step.identities {
            try MemberQueries.insertIdentity(identity.key, of: account, at: change.moment, in: tx)
            try change.record(.mappingAdded(identity.key.provider, endsGuest: false), of: account.user, in: tx)
        }
        try insert(step.devices, of: account.user, in: tx)
        for ban in step.pastBans { _ = try BanRules.insertImported(ban, of: account.user, change, in: tx) }
        let holds = try holds(after: step, of: account, in: tx)
        if holds != account.holds { try MemberRules.update(account, in: tx) { $0 = holds } }
    }

    private func holds(after step: ImportExtension, of account: Account, in tx: Transaction) throws -> Holds {
        var holds = account.holds
        switch step.ban {
        case nil: break
        case .begin(let ban):
            holds.ban = try BanRules.beginImported(ban, of: account, change, in: tx)
            holds.graceBan = nil
        case .change(let id, let end):
            holds.ban = try BanRules.changeImported(id, end: end, of: account.user, change, in: tx)
        case .lift(let id):
            try BanRules.liftImported(id, of: account.user, change, in: tx)
            holds.ban = nil
        }
        switch step.withdrawal {
        case nil: break
        case .request(let end):
            holds.withdrawsAt = end
            try change.record(.withdrawalRequested(end: end), of: account.user, in: tx)
        case .cancel:
            holds.withdrawsAt = nil
            try change.record(.withdrawalCancelled, of: account.user, in: tx)
        }
        return holds
    }
}

/// Holds an import to so many records a second. Time that a batch has lost is not made up for, so that the server never gets more at once.
package struct ImportPace {
    private let rate: Int?
    private let clock: @Sendable () -> UInt64
    /// When the next batch may begin.
    private var next: UInt64

    /// - Parameter rate: nil for as many as there can be.
    package init(_ rate: Int?, clock: @escaping @Sendable () -> UInt64) {
        self.rate = rate
        self.clock = clock
        next = clock()
    }

    /// How many records a batch has at most. None is for more than a second, because an import that waits longer than its lease would lose
    /// its run.
    package func size(atMost limit: Int) -> Int { min(rate ?? limit, limit) }

    /// How many nanoseconds to wait after a batch.
    package mutating func wait(after records: Int) -> UInt64 {
        guard let rate, rate > 0 else { return 0 }
        let now = clock()
        let (whole, rest) = UInt64(max(0, records)).quotientAndRemainder(dividingBy: UInt64(rate))
        next = max(next &+ whole &* 1_000_000_000 &+ rest &* 1_000_000_000 / UInt64(rate), now)
        return next - now
    }
}
