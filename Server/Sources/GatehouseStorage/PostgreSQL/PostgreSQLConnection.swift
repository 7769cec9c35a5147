import CLibPQ
import Foundation

/// A connection to PostgreSQL, used by one thread, with its prepared statements. Calls block their thread.
///
/// It stays in libpq's pipeline mode: `BEGIN`, statements without awaited results, and the preparation of a new statement are sent
/// together with the next statement whose rows are awaited, in one round trip.
final class PostgreSQLConnection: Connection {
    private static let statementLimit = 512

    private let handle: OpaquePointer
    private var statements: [String: String] = [:]
    private var mergedTexts: [MergedKey: String] = [:]
    private var pendingBegin: String?
    private var isInTransaction = false
    private var nextName = 0
    /// The statements without a response yet, oldest first.
    private var sent: [Sent] = []

    private struct Sent {
        let take: (OpaquePointer?) throws -> Void
        /// The error that the caller gets if it fails.
        let failure: (StorageError) -> any Error
    }

    private let notices: PostgreSQLNotices

    /// - Parameters:
    ///   - patienceSeconds: how long callers wait for their turn; the wait for a row's lock is twice as long.
    ///   - noticed: receives PostgreSQL's notices.
    init(
        url: String, patienceSeconds: Double, noticed: @escaping @Sendable (String, Bool) -> Void = { _, _ in }
    ) throws {
        notices = PostgreSQLNotices(noticed)
        let settings = Self.settings(url: url, environment: ProcessInfo.processInfo.environment)
        let keys = settings.map { strdup($0.0) }
        let values = settings.map { strdup($0.1) }
        defer { (keys + values).forEach { free($0) } }
        let keyPointers = keys.map { UnsafePointer<CChar>($0) } + [nil]
        let valuePointers = values.map { UnsafePointer<CChar>($0) } + [nil]
        guard let handle = PQconnectdbParams(keyPointers, valuePointers, 1) else {
            throw StorageError.unavailable("out of memory")
        }
        self.handle = handle
        notices.receive(from: handle)
        guard PQstatus(handle) == CONNECTION_OK, PQenterPipelineMode(handle) == 1 else {
            // Only the first line of libpq's message is used; it contains host and port.
            let reason = String(cString: PQerrorMessage(handle)).split(separator: "\n").first.map(String.init) ?? ""
            throw StorageError.unavailable("PostgreSQL can't be reached: \(reason)")
        }
        for setting in [
            "SET statement_timeout = \(Int(patienceSeconds * 3_000))",
            "SET lock_timeout = \(Int(patienceSeconds * 2_000))",
            "SET idle_in_transaction_session_timeout = 30000", "SET TIME ZONE 'UTC'",
            // Every statement finds its rows by an index. A plan is made once and kept, possibly while the table is so small that a
            // full scan looks cheaper, and such a plan must not remain when the table has grown.
            "SET enable_seqscan = off", "SET enable_hashjoin = off", "SET enable_mergejoin = off",
            "SET plan_cache_mode = force_generic_plan", "SET jit = off",
            // Only a write's own BEGIN overrides this.
            "SET default_transaction_read_only = on",
        ] { try send(command: setting) }
        var synchronous: String?
        _ = try run("SHOW synchronous_commit", []) { row in
            if case .text(let value) = try row.column(0) { synchronous = value }
            return false
        }
        guard synchronous != "off" else {
            throw StorageError.unavailable("PostgreSQL has synchronous_commit=off: an acknowledged write could be lost")
        }
    }

    deinit {
        PQfinish(handle)
    }

    /// The connection parameters for libpq, in order. If a name occurs twice, the later value counts.
    static func settings(url: String, environment: [String: String]) -> [(name: String, value: String)] {
        let security = TransportSecurity.standardMode(for: url, environment: environment).map { [("sslmode", $0)] }
        // The settings after the URL override it, so that no connection can hang for ever.
        return (security ?? []) + [
            ("dbname", url), ("connect_timeout", "3"), ("client_encoding", "UTF8"), ("keepalives_idle", "10"),
            ("keepalives_interval", "3"), ("keepalives_count", "3"), ("tcp_user_timeout", "15000"),
            ("fallback_application_name", "gatehouse"),
        ]
    }

    var isLost: Bool { hasGivenUp || PQstatus(handle) != CONNECTION_OK }
    /// libpq has reported an error of its own, so later responses on this connection can't be assigned.
    private var hasGivenUp = false

    func begin(_ text: String) {
        pendingBegin = text
    }

    /// Commits the transaction, if one has begun. After a failure it is still open.
    func commit() throws {
        pendingBegin = nil
        guard isInTransaction else { return }
        try send(command: "COMMIT")
        try receive()
        isInTransaction = false
    }

    /// Rolls the transaction back, if one has begun.
    func rollBack() throws {
        pendingBegin = nil
        guard isInTransaction else { return }
        // A ROLLBACK in the same pipeline would not be run after a failed statement.
        if !sent.isEmpty { try? receive() }
        try send(command: "ROLLBACK")
        try receive()
        isInTransaction = false
    }

    func run(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int {
        var count = 0
        try withoutActuallyEscaping(row) { row in
            try send(text, Parameters(values)) { result in
                for index in 0..<PQntuples(result) {
                    let column: (Int) throws -> SQLValue = { try Self.value(row: index, column: $0, of: result) }
                    guard try row(Row(column: column)) else { break }
                }
                count = Int(String(cString: PQcmdTuples(result))) ?? 0
            }
            try receive()
        }
        return count
    }

    /// The server itself refuses a statement that writes, except in a transaction for writes. There the text decides.
    func read(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws {
        guard text.hasPrefix("SELECT") || text.hasPrefix("WITH") else { throw StorageError.readOnly }
        _ = try run(text, values, row)
    }

    func write(_ write: Write) throws {
        let statement = write.statement
        let checked = statement.mustChange ? MergedStatement.requiringChange(statement.text) : statement.text
        try send(checked, Parameters(statement.values), write) { _ in }
    }

    /// Runs reading statements in one round trip and outside of a transaction block. Those with the same text are merged.
    ///
    /// - Parameter row: receives the statement's index, a row of its result, and the number of columns.
    func read(_ statements: [Statement], _ row: @escaping (Int, Row, Int) throws -> Void) throws {
        for places in Dictionary(grouping: statements.indices, by: { statements[$0].text }).values {
            if let (text, parameters) = merged(places.map { statements[$0] }) {
                try send(text, parameters) { result in
                    let columns = Int(PQnfields(result)) - 1
                    for index in 0..<PQntuples(result) {
                        guard case .integer(let number) = try Self.value(row: index, column: 0, of: result),
                            let place = Int(exactly: number), (1...places.count).contains(place)
                        else { throw StorageError.unexpectedValue(expected: "a row's number", found: "another") }
                        let own = Row { try Self.value(row: index, column: $0 + 1, of: result) }
                        try row(places[place - 1], own, columns)
                    }
                }
                continue
            }
            for place in places {
                try send(statements[place].text, Parameters(statements[place].values)) { result in
                    for index in 0..<PQntuples(result) {
                        let own = Row { try Self.value(row: index, column: $0, of: result) }
                        try row(place, own, Int(PQnfields(result)))
                    }
                }
            }
        }
        try receive()
    }

    /// Runs the writes of several transactions as one, in one round trip. Each transaction's statements stay in order, and those with
    /// the same text are merged where the order permits it. After a failure none of it is kept.
    func write(_ transactions: [[Statement]]) throws {
        isInTransaction = true
        try send(command: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        // Two batches that lock the same rows in different orders would wait for each other, so they give up after a short time and run
        // separately.
        try send(command: "SET LOCAL lock_timeout = 250")
        var rest = transactions.map { $0[...] }
        while let text = rest.lazy.compactMap(\.first?.text).first {
            var statements: [Statement] = []
            for index in rest.indices where rest[index].first?.text == text {
                statements.append(rest[index].removeFirst())
            }
            for layer in Self.layers(of: statements) {
                if let (text, parameters) = merged(layer) {
                    try send(text, parameters) { _ in }
                } else {
                    for statement in layer {
                        let text =
                            statement.mustChange ? MergedStatement.requiringChange(statement.text) : statement.text
                        try send(text, Parameters(statement.values)) { _ in }
                    }
                }
            }
        }
        try commit()
    }

    /// Divides statements with the same text into layers, so that no two statements of a layer concern the same rows; those must stay
    /// in order. Each layer is sorted, so that two batches lock the same rows in the same order and don't deadlock.
    private static func layers(of statements: [Statement]) -> [[Statement]] {
        guard let text = statements.first?.text, statements.count > 1 else { return [statements] }
        let keyStart = MergedStatement.parametersBeforeCondition(of: text)
        var layers: [[Statement]] = []
        var depths: [[SQLValue]: Int] = [:]
        for statement in statements {
            let key = Array(statement.values.dropFirst(keyStart))
            let depth = depths[key, default: 0]
            depths[key] = depth + 1
            if depth == layers.count { layers.append([]) }
            layers[depth].append(statement)
        }
        return layers.map { layer in
            layer.sorted { $0.values.dropFirst(keyStart).lexicographicallyPrecedes($1.values.dropFirst(keyStart)) }
        }
    }

    /// One statement for the values of several with the same text, if it is possible.
    private func merged(_ statements: [Statement]) -> (text: String, parameters: Parameters)? {
        guard statements.count > 1, let first = statements.first else { return nil }
        let rows = statements.map(\.values)
        guard let kinds = MergedStatement.kinds(of: rows) else { return nil }
        let key = MergedKey(text: first.text, kinds: kinds, mustChange: first.mustChange)
        let known =
            mergedTexts[key]
            ?? MergedStatement.text(merging: first.text, kinds: kinds, mustChange: first.mustChange)
        mergedTexts[key] = known
        return known.map { ($0, Parameters(rows: rows, kinds: kinds)) }
    }

    private struct MergedKey: Hashable {
        let text: String
        let kinds: [MergedStatement.Kind]
        let mustChange: Bool
    }

    // MARK: The pipeline

    private func send(command text: String) throws {
        guard PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 0) == 1 else { throw error(nil) }
        add { result in
            // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, and reports success.
            guard text != "COMMIT" || String(cString: PQcmdStatus(result)) == "COMMIT" else {
                throw StorageError.failed(code: "25P02", message: "the transaction had failed")
            }
        }
    }

    private func add(
        _ take: @escaping (OpaquePointer?) throws -> Void, failure: @escaping (StorageError) -> any Error = { $0 }
    ) {
        sent.append(Sent(take: take, failure: failure))
    }

    private func send(
        _ text: String, _ parameters: Parameters, _ write: Write? = nil,
        _ take: @escaping (OpaquePointer?) throws -> Void
    ) throws {
        // This must come before anything else, even before preparing a statement, because a transaction's first command fixes its
        // level.
        if let begin = pendingBegin {
            pendingBegin = nil
            isInTransaction = true
            try send(command: begin)
        }
        let name = try prepared(text)
        let isSent = parameters.withPointers { pointers, lengths, formats in
            PQsendQueryPrepared(handle, name, Int32(parameters.count), pointers, lengths, formats, 0)
        }
        guard isSent == 1 else { throw error(nil) }
        add(take) { error in
            switch error {
            case .duplicate: write?.taken ?? error
            case .failed(MergedStatement.missedCode, _): write?.missed ?? error
            default: error
            }
        }
    }

    /// Sends everything pending and receives every response. Throws the first failure after all have been received.
    private func receive() throws {
        let waiting = sent
        sent = []
        guard PQpipelineSync(handle) == 1 else { throw error(nil) }
        var failure: (any Error)?
        for statement in waiting {
            let result = PQgetResult(handle)
            let status = PQresultStatus(result)
            if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK {
                if failure == nil { do { try statement.take(result) } catch { failure = error } }
            } else {
                // After a failure the rest of the pipeline is not run. Each statement is marked as failed, and the first failure is
                // thrown.
                let isBehind = status == PGRES_PIPELINE_ABORTED
                let cause = statement.failure(
                    isBehind ? .failed(code: "25P02", message: "a statement before it has failed") : error(result))
                if failure == nil { failure = cause }
            }
            PQclear(result)
            // Each response is followed by an end marker.
            PQclear(PQgetResult(handle))
            if isLost { throw failure ?? error(nil) }
        }
        let sync = PQgetResult(handle)
        if failure == nil, PQresultStatus(sync) != PGRES_PIPELINE_SYNC { failure = error(sync) }
        PQclear(sync)
        if let failure { throw failure }
    }

    /// The name of a statement, which is prepared at its first use.
    private func prepared(_ text: String) throws -> String {
        if let name = statements[text] { return name }
        // Statements come from the source code, so there are only a few. The limit protects against a mistake that breaks this
        // assumption.
        if statements.count >= Self.statementLimit, sent.isEmpty, !isInTransaction {
            try send(command: "DEALLOCATE ALL")
            statements = [:]
        }
        let name = "s\(nextName)"
        nextName += 1
        guard PQsendPrepare(handle, name, text, 0, nil) == 1 else { throw error(nil) }
        statements[text] = name
        add({ _ in }) { [weak self] error in
            self?.statements[text] = nil
            return error
        }
        return name
    }

    private static func value(row: Int32, column: Int, of result: OpaquePointer?) throws -> SQLValue {
        guard (0..<Int(PQnfields(result))).contains(column) else {
            throw StorageError.unexpectedValue(expected: "column \(column)", found: "none")
        }
        let column = Int32(column)
        if PQgetisnull(result, row, column) == 1 { return .null }
        guard let address = PQgetvalue(result, row, column) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(PQgetlength(result, row, column)))
        switch PQftype(result, column) {
        case 20, 21, 23:
            guard let number = Int64(String(decoding: bytes, as: UTF8.self)) else {
                throw StorageError.unexpectedValue(expected: "integer", found: "text")
            }
            return .integer(number)
        case 16: return .integer(bytes.first == UInt8(ascii: "t") ? 1 : 0)
        case 17: return .bytes(try unhex(bytes.dropFirst(2)))
        default: return .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func unhex(_ digits: Slice<UnsafeRawBufferPointer>) throws -> [UInt8] {
        func value(_ digit: UInt8) -> UInt8 { digit > 0x39 ? digit &- 0x57 : digit &- 0x30 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            if let first = high {
                bytes.append(value(first) << 4 | value(digit))
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }

    private func error(_ result: OpaquePointer?) -> StorageError {
        if isLost { return .unavailable("the connection to PostgreSQL was lost") }
        let code = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
        // The primary message contains relations and constraints. The detail is left out, because it contains values.
        let message =
            PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
            ?? String(cString: PQerrorMessage(handle))
        switch code {
        case "":
            hasGivenUp = true
            return .unavailable("the connection to PostgreSQL was lost")
        case "53100": return .diskFull
        // It has waited for another transaction's row, or worked, for longer than a caller would wait.
        case "55P03", "57014": return .overloaded
        case "25006": return .readOnly
        case "57P01", "57P02", "57P03", "53300", "08006", "08003": return .unavailable(message)
        case "23505": return .duplicate(message)
        case _ where code.hasPrefix("23"): return .constraintViolated(message)
        default: return .failed(code: code, message: message)
        }
    }
}
