/// A thread that sends waiting jobs in batches. Unchecked, because it is created by the opener and then used only by its own thread.
final class PostgreSQLBatchWorker: EngineWorker, @unchecked Sendable {
    private let link: PostgreSQLLink
    private let queue: JobQueue
    private let alone: JobQueue
    private let events: StorageEvents

    /// - Parameter alone: the queue for jobs that can't be batched.
    init(link: PostgreSQLLink, queue: JobQueue, alone: JobQueue, events: StorageEvents) {
        self.link = link
        self.queue = queue
        self.alone = alone
        self.events = events
    }

    /// The number of jobs taken at a time: enough that a statement's fixed cost is small compared with its rows', but few enough that
    /// the first does not wait long for the last.
    private static let jobsAtOnce = 64

    func run() {
        while true {
            let jobs = queue.take(atMost: Self.jobsAtOnce)
            if jobs.isEmpty { return }
            read(jobs.filter { $0.statement != nil })
            alone.takeOver(decide(jobs.filter { $0.statement == nil }))
        }
    }

    func disconnect() { link.close() }

    /// Sends single statements in one round trip. When one fails, each is sent separately, because the others are valid.
    private func read(_ jobs: [Job]) {
        if jobs.isEmpty { return }
        do {
            let statements = try jobs.map { job in
                guard let statement = try job.statement?.reading() else { throw StorageError.closed }
                return statement
            }
            try link.connected().read(statements) { place, row, _ in try jobs[place].take(row) }
            for job in jobs { job.succeed() }
        } catch {
            link.settle(after: error)
            alone.takeOver(jobs)
        }
    }

    /// Runs bodies together: their reads in one round trip for each step, their writes in one transaction. Returns the bodies that need
    /// a separate transaction, including those of a failed batch, because it is not known which one failed.
    private func decide(_ jobs: [Job]) -> [Job] {
        var alone: [Job] = []
        var ended: [(job: Job, writes: [Statement])] = []
        var open = jobs.map { (job: $0, replay: Replay($0)) }
        while !open.isEmpty {
            var asking: [(job: Job, replay: Replay)] = []
            var questions: [Statement] = []
            for (job, replay) in open {
                switch replay.advance() {
                case .asks(let question):
                    asking.append((job, replay))
                    questions.append(question)
                case .ends(let writes): ended.append((job, writes))
                case .fails(let error): job.fail(error)
                case .unfit: alone.append(job)
                }
            }
            open = []
            guard !asking.isEmpty else { break }
            do {
                for (index, rows) in try answers(to: questions).enumerated() {
                    asking[index].replay.answer(questions[index], with: rows)
                }
                open = asking
            } catch {
                link.settle(after: error)
                alone += asking.map(\.job)
            }
        }
        return alone + commit(ended)
    }

    private func answers(to questions: [Statement]) throws -> [[[SQLValue]]] {
        let answers = Answers(count: questions.count)
        try link.connected().read(questions) { place, row, columns in
            answers.rows[place].append(try (0..<columns).map { try row.column($0) })
        }
        return answers.rows
    }

    private final class Answers {
        var rows: [[[SQLValue]]]
        init(count: Int) { rows = Array(repeating: [], count: count) }
    }

    /// Commits the writes, and returns the jobs that must run alone.
    private func commit(_ ended: [(job: Job, writes: [Statement])]) -> [Job] {
        let writing = ended.filter { !$0.writes.isEmpty }
        for (job, _) in ended.filter(\.writes.isEmpty) { job.succeed() }
        guard !writing.isEmpty else { return [] }
        do {
            guard try link.connected().isDistributed else { return commitTogether(writing) }
        } catch {
            for (job, _) in writing { job.fail(error) }
            return []
        }
        // A transaction about one app needs one node.
        let byApp = Dictionary(grouping: writing.filter { $0.writes.app != nil }) { $0.writes.app }
        let others = writing.filter { $0.writes.app == nil }.map { [$0] }
        return (Array(byApp.values) + others).flatMap(commitTogether)
    }

    /// How often the writes of one batch are divided after a violated constraint: enough to find one that violates it among all.
    private static let divisions = 6

    /// Commits the writes as one transaction, and returns the jobs that must run alone. One job that violates a constraint must not
    /// undo the others again and again, so they are tried by halves.
    private func commitTogether(_ writing: [(job: Job, writes: [Statement])]) -> [Job] {
        var open = [writing[...]]
        var alone: [Job] = []
        var divisions = 0
        while let part = open.popLast() {
            do {
                try link.connected().write(part.map(\.writes))
                events.committed(part.count)
                for (job, _) in part { job.succeed() }
            } catch {
                guard !fails(part, with: error) else { continue }
                events.retried()
                if part.count > 1, divisions < Self.divisions, Self.isViolation(error) {
                    divisions += 1
                    let middle = part.startIndex + part.count / 2
                    open += [part[middle...], part[..<middle]]
                } else {
                    alone += part.map(\.job)
                }
            }
        }
        return alone
    }

    /// Answers the jobs if they may not run again, and undoes their writes otherwise.
    private func fails(_ part: ArraySlice<(job: Job, writes: [Statement])>, with error: any Error) -> Bool {
        var isUnknown = link.isLost
        if case .unavailable? = error as? StorageError { isUnknown = true }
        // A connection that lives may be in a failed transaction also where the outcome is unknown, because the error may have come before
        // the commit.
        link.settle(after: error)
        guard isUnknown else { return false }
        // There is no connection, or it is not known whether the commit has succeeded. The callers get this error, and nothing runs twice.
        for (job, _) in part { job.fail(error) }
        return true
    }

    private static func isViolation(_ error: any Error) -> Bool {
        switch error as? StorageError {
        case .duplicate, .constraintViolated: true
        default: false
        }
    }
}

/// Determines a decision's reads and writes by running it: once for each read, with the results so far. So the reads of several bodies
/// are sent together, and finally their writes.
///
/// Every ``Draft`` can be replayed. One that has read too often, or that reads something else in the next run, is `unfit` and gets a
/// separate transaction.
final class Replay: Connection {
    enum Step {
        case asks(Statement)
        /// The body has completed, and left these writes.
        case ends([Statement])
        case fails(any Error)
        case unfit
    }

    private struct Unanswered: Error {}
    /// The maximum number of reads. More indicate a loop, which should run separately, with a round trip for each.
    private static let questionLimit = 8

    let job: Job
    private var answers: [(question: Statement, rows: [[SQLValue]])] = []
    private var position = 0
    private var question: Statement?
    private var isUnfit = false

    init(_ job: Job) {
        self.job = job
    }

    func advance() -> Step {
        position = 0
        question = nil
        do {
            // The errors that a write means are determined when the body runs alone.
            let writes = try job.run(on: self, engine: .postgresql).map(\.statement)
            return isUnfit ? .unfit : .ends(writes)
        } catch {
            if isUnfit || StorageError.isConflict(error) { return .unfit }
            if let question { return answers.count < Self.questionLimit ? .asks(question) : .unfit }
            return .fails(error)
        }
    }

    func answer(_ question: Statement, with rows: [[SQLValue]]) {
        answers.append((question, rows))
    }

    func read(_ statement: Statement, _ row: (Row) throws -> Bool) throws {
        guard position < answers.count else {
            question = statement
            throw Unanswered()
        }
        let (known, rows) = answers[position]
        guard known.text == statement.text, known.values == statement.values else {
            // The body has sent another read than in the previous run, so it depends on more than its results.
            isUnfit = true
            throw Unanswered()
        }
        position += 1
        for columns in rows {
            let column = { (index: Int) throws -> SQLValue in
                guard columns.indices.contains(index) else {
                    throw StorageError.unexpectedValue(expected: "column \(index)", found: "none")
                }
                return columns[index]
            }
            guard try row(Row(column: column)) else { break }
        }
    }

    /// A draft neither runs a statement that may write, nor writes before it ends.
    func run(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int {
        throw StorageError.readOnly
    }

    func write(_ write: Write) throws { throw StorageError.readOnly }
}
