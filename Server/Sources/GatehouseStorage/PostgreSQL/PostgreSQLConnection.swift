/// A connection to PostgreSQL, used by one thread. Calls block their thread.
///
/// `BEGIN` and statements without awaited results are sent together with the next statement whose rows are awaited, in one round trip
/// (``PostgreSQLPipeline``).
final class PostgreSQLConnection: Connection {
    private let pipeline: PostgreSQLPipeline
    private var mergedTexts: [MergedKey: String] = [:]
    /// Whether tables are distributed by app here, so that a statement should name one app as a plain value (``Distribution``).
    let isDistributed: Bool
    private let recorder: StatementRecorder?
    private var pendingBegin: String?
    private var isInTransaction = false

    /// - Parameters:
    ///   - isFirst: whether it is the engine's first one, which looks whether a pooler in between shares connections.
    ///   - noticed: receives PostgreSQL's notices.
    init(
        url: String, for purpose: Purpose, isFirst: Bool = false,
        noticed: @escaping @Sendable (String, Bool) -> Void = { _, _ in }
    ) throws {
        let notices = PostgreSQLNotices(noticed)
        // A copy's statements are about all apps at once.
        if case .copies = purpose { recorder = nil } else { recorder = StatementRecorder.make() }
        pipeline = PostgreSQLPipeline(try Self.open(url, notices: notices))
        let server = try PostgreSQLServer(pipeline)
        isDistributed = server.isDistributed
        try server.requireUse(at: pipeline.handle.place)
        if server.process != pipeline.handle.process {
            if isFirst { try ConnectionPooler.requireOwnSession(pipeline, url: url, notices: notices) }
            // A pooler hands a connection with its prepared statements to the next client, if it is not told to discard them.
            pipeline.statementPrefix = "s\(UInt32(bitPattern: pipeline.handle.process))_"
        }
        for setting in purpose.settings + (isDistributed ? purpose.distributedSettings : []) {
            try pipeline.send(command: setting)
        }
        try pipeline.receive()
    }

    var isLost: Bool { pipeline.isLost }

    // MARK: One transaction

    func begin(_ text: String) {
        pendingBegin = text
    }

    /// Commits the transaction, if one has begun. After a failure it is still open.
    func commit() throws {
        pendingBegin = nil
        recorder?.end()
        guard isInTransaction else { return }
        // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, and reports success.
        try pipeline.send(command: "COMMIT", answeredBy: "COMMIT")
        try pipeline.receive()
        isInTransaction = false
    }

    /// Rolls the transaction back, if one has begun.
    func rollBack() throws {
        pendingBegin = nil
        recorder?.end()
        guard isInTransaction else { return }
        // A ROLLBACK in the same pipeline would not be run after a failed statement.
        if !pipeline.isEmpty { try? pipeline.receive() }
        try pipeline.send(command: "ROLLBACK")
        try pipeline.receive()
        isInTransaction = false
    }

    /// The server itself refuses a statement that writes, except in a transaction for writes. There the text decides.
    func read(_ statement: Statement, _ row: (Row) throws -> Bool) throws {
        guard statement.text.hasPrefix("SELECT") || statement.text.hasPrefix("WITH") else {
            throw StorageError.readOnly
        }
        _ = try run(statement.text, statement.values, row)
    }

    func run(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int {
        try sendBegin()
        recorder?.add(text, values)
        var count = 0
        try withoutActuallyEscaping(row) { row in
            try pipeline.send(text, Parameters(values)) { result in
                for number in result.rowNumbers {
                    guard try row(result.row(number)) else { break }
                }
                count = result.changedRows
            }
            try pipeline.receive()
        }
        return count
    }

    func write(_ write: Write) throws {
        try sendBegin()
        recorder?.add(write.statement.text, write.statement.values)
        try pipeline.send(
            write.statement.checkedText, Parameters(write.statement.values), refusal: { write.refusal(of: $0) })
    }

    func write(_ drafts: [[Write]]) throws {
        // The writes of one draft keep their errors.
        guard drafts.count > 1 else { return try drafts.joined().forEach(write) }
        try sendBegin()
        let statements = drafts.map { $0.map(\.statement) }
        for statement in statements.joined() { recorder?.add(statement.text, statement.values) }
        try send(statements)
    }

    /// Runs a change of the schema, which is sent once and therefore not prepared: now, or with the next statement.
    func change(_ text: String) throws {
        try sendBegin()
        recorder?.add(text, [])
        try pipeline.send(command: text)
    }

    /// Waits for the outcome of every change that was sent.
    func receive() throws { try pipeline.receive() }

    /// This must come before anything else, even before preparing a statement, because a transaction's first command fixes its level.
    private func sendBegin() throws {
        guard let begin = pendingBegin else { return }
        pendingBegin = nil
        isInTransaction = true
        try pipeline.send(command: begin)
    }

    // MARK: Batches

    /// Runs reading statements in one round trip and outside of a transaction block. Those with the same text are merged.
    ///
    /// - Parameter row: receives the statement's index, a row of its result, and the number of columns.
    func read(_ statements: [Statement], _ row: @escaping (Int, Row, Int) throws -> Void) throws {
        if let recorder { statements.map { [$0] }.forEach(recorder.add) }
        for places in alike(statements) {
            if let (text, parameters) = merged(places.map { statements[$0] }) {
                try pipeline.send(text, parameters) { try Self.distribute($0, over: places, row) }
                continue
            }
            for place in places {
                try pipeline.send(statements[place].text, Parameters(statements[place].values)) { result in
                    for number in result.rowNumbers { try row(place, result.row(number), result.columnCount) }
                }
            }
        }
        try pipeline.receive()
    }

    /// The positions of statements that can be merged: with the same text, and on a distributed engine about the same app.
    private func alike(_ statements: [Statement]) -> [[Int]] {
        guard isDistributed else {
            return Array(
                Dictionary(grouping: statements.indices, by: { StatementKey(text: statements[$0].text) }).values)
        }
        let apps = statements.map(\.app)
        let merged = Dictionary(grouping: statements.indices.filter { apps[$0] != nil }) { place in
            AppText(app: apps[place], text: StatementKey(text: statements[place].text))
        }
        return Array(merged.values) + statements.indices.filter { apps[$0] == nil }.map { [$0] }
    }

    private struct AppText: Hashable {
        let app: String?
        let text: StatementKey
    }

    /// Hands the rows of a merged statement to its statements: the first column tells to which.
    private static func distribute(
        _ result: PostgreSQLResult, over places: [Int], _ row: (Int, Row, Int) throws -> Void
    ) throws {
        for number in result.rowNumbers {
            guard case .integer(let place) = try result.value(row: number, column: 0),
                let index = Int(exactly: place), (1...places.count).contains(index)
            else { throw StorageError.unexpectedValue(expected: "a row's number", found: "another") }
            try row(places[index - 1], result.row(number, skipping: 1), result.columnCount - 1)
        }
    }

    /// Runs the writes of several transactions as one, in one round trip. Each transaction's statements stay in order, and those with
    /// the same text are merged where the order permits it. After a failure none of it is kept.
    func write(_ transactions: [[Statement]]) throws {
        if let recorder { transactions.forEach(recorder.add) }
        isInTransaction = true
        try pipeline.send(command: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        // Two batches that lock the same rows in different orders would wait for each other, so they give up after a short time and run
        // separately.
        try pipeline.send(command: "SET LOCAL lock_timeout = 250")
        try send(transactions)
        try commit()
    }

    private func send(_ transactions: [[Statement]]) throws {
        for group in MergeLayers.groups(of: transactions) {
            if let (text, parameters) = merged(group) {
                try pipeline.send(text, parameters)
                continue
            }
            for statement in group { try pipeline.send(statement.checkedText, Parameters(statement.values)) }
        }
    }

    /// One statement for the values of several with the same text, if it is possible.
    private func merged(_ statements: [Statement]) -> (text: String, parameters: Parameters)? {
        guard statements.count > 1, let first = statements.first else { return nil }
        let rows = statements.map(\.values)
        guard var kinds = MergedStatement.kinds(of: rows) else { return nil }
        if isDistributed {
            // The merged statement has the app of the first as a plain value.
            guard statements.allSatisfy({ $0.app == first.app }) else { return nil }
            for place in first.appPlaces { kinds[place] = .app }
        }
        let key = MergedKey(text: StatementKey(text: first.text), kinds: kinds, mustChange: first.mustChange)
        let known =
            mergedTexts[key] ?? MergedStatement.text(of: first.form, kinds: kinds, mustChange: first.mustChange)
        mergedTexts[key] = known
        return known.map { ($0, Parameters(rows: rows, kinds: kinds)) }
    }

    private struct MergedKey: Hashable {
        let text: StatementKey
        let kinds: [MergedStatement.Kind]
        let mustChange: Bool
    }
}

extension Statement {
    /// The text that fails when the statement must change a row and changes none.
    fileprivate var checkedText: String { mustChange ? MergedStatement.requiringChange(text) : text }
}

extension Write {
    /// The caller's error for a failed statement.
    fileprivate func refusal(of failure: PostgreSQLFailure) -> any Error {
        if failure.constraint == MergedStatement.missedConstraint, let missed { return missed }
        return refusal(of: failure.error)
    }
}
