import CLibPQ

/// libpq's pipeline mode on one connection, with the prepared statements: what is sent waits, and its responses are received together,
/// in one round trip. It is used by one thread.
final class PostgreSQLPipeline {
    private static let statementLimit = 512

    let handle: PostgreSQLHandle
    /// What the names of prepared statements begin with.
    var statementPrefix = "s"
    private var statements: [StatementKey: String] = [:]
    private var nextName = 0
    /// The statements without a response yet, oldest first.
    private var sent: [Sent] = []
    /// libpq has reported an error of its own, so later responses on this connection can't be assigned.
    private var hasGivenUp = false

    private struct Sent {
        let take: (PostgreSQLResult) throws -> Void
        /// The error that the caller gets if it fails.
        let refusal: (PostgreSQLFailure) -> any Error
    }

    init(_ handle: consuming PostgreSQLHandle) {
        self.handle = handle
    }

    var isLost: Bool { hasGivenUp || !handle.isOpen }
    var isEmpty: Bool { sent.isEmpty }

    /// Sends a command without parameters. It must be answered with this word, if one is given.
    func send(command text: String, answeredBy word: String? = nil) throws {
        try send(unprepared: text) { result in
            guard word == nil || result.command == word else {
                throw StorageError.failed(code: "25P02", message: "the transaction had failed")
            }
        }
    }

    /// Sends a statement without parameters, and does not prepare it.
    func send(unprepared text: String, _ take: @escaping (PostgreSQLResult) throws -> Void) throws {
        guard PQsendQueryParams(handle.pointer, text, 0, nil, nil, nil, nil, 0) == 1 else { throw failure(nil).error }
        add(take)
    }

    /// Sends a statement, which is prepared at its first use.
    func send(
        _ text: String, _ parameters: Parameters, _ take: @escaping (PostgreSQLResult) throws -> Void = { _ in },
        refusal: @escaping (PostgreSQLFailure) -> any Error = \.error
    ) throws {
        let name = try prepared(text)
        let isSent = parameters.withPointers { pointers, lengths, formats in
            PQsendQueryPrepared(handle.pointer, name, Int32(parameters.count), pointers, lengths, formats, 0)
        }
        guard isSent == 1 else { throw failure(nil).error }
        add(take, refusal: refusal)
    }

    /// Sends everything pending and receives every response. Throws the first failure after all have been received.
    func receive() throws {
        let waiting = sent
        sent = []
        guard PQpipelineSync(handle.pointer) == 1 else { throw failure(nil).error }
        var first: (any Error)?
        for statement in waiting {
            let error = answer(to: statement, isRefused: first != nil)
            first = first ?? error
            if isLost { throw first ?? failure(nil).error }
        }
        let sync = PQgetResult(handle.pointer)
        if first == nil, PQresultStatus(sync) != PGRES_PIPELINE_SYNC { first = failure(sync).error }
        PQclear(sync)
        if let first { throw first }
    }

    /// Receives the response of a statement, and returns its failure.
    ///
    /// - Parameter isRefused: whether a statement before it has failed, so that nobody wants its rows.
    private func answer(to statement: Sent, isRefused: Bool) -> (any Error)? {
        let result = PQgetResult(handle.pointer)
        defer {
            PQclear(result)
            // Each response is followed by an end marker.
            PQclear(PQgetResult(handle.pointer))
        }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
            if isRefused { return nil }
            do {
                try statement.take(PostgreSQLResult(pointer: result))
                return nil
            } catch {
                return error
            }
        // After a failure the rest of the pipeline is not run, and each statement in it is marked.
        case PGRES_PIPELINE_ABORTED: return statement.refusal(.skipped)
        default: return statement.refusal(failure(result))
        }
    }

    private func add(
        _ take: @escaping (PostgreSQLResult) throws -> Void,
        refusal: @escaping (PostgreSQLFailure) -> any Error = \.error
    ) {
        sent.append(Sent(take: take, refusal: refusal))
    }

    /// The name of a statement, which is prepared at its first use.
    private func prepared(_ text: String) throws -> String {
        let key = StatementKey(text: text)
        if let name = statements[key] { return name }
        // Statements come from the source code, so there are only a few. The limit protects against a mistake that breaks this
        // assumption.
        if statements.count >= Self.statementLimit, sent.isEmpty, PQtransactionStatus(handle.pointer) == PQTRANS_IDLE {
            try send(command: "DEALLOCATE ALL")
            statements = [:]
        }
        let name = "\(statementPrefix)\(nextName)"
        nextName += 1
        guard PQsendPrepare(handle.pointer, name, text, 0, nil) == 1 else { throw failure(nil).error }
        statements[key] = name
        add({ _ in }) { [weak self] failure in
            self?.statements[key] = nil
            return failure.error
        }
        return name
    }

    private func failure(_ result: OpaquePointer?) -> PostgreSQLFailure {
        guard !isLost, let result, let code = PostgreSQLFailure.code(of: result) else {
            // Without a result or a code, the failure is libpq's own.
            hasGivenUp = true
            return .lost
        }
        return PostgreSQLFailure(result, code: code)
    }
}

/// Values in libpq's form, in one block of memory: numbers and texts as text, bytes and arrays in binary form.
struct Parameters {
    private var bytes: [UInt8] = []
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    var count: Int { offsets.count }

    init(_ values: [SQLValue]) {
        bytes.reserveCapacity(512)
        for value in values {
            switch value {
            case .null: add(nil)
            case .integer(let number): add(Array(String(number).utf8))
            case .text(let text): add(Array(text.utf8))
            case .bytes(let content): add(content, format: 1)
            }
        }
    }

    /// An array for each parameter, and then the app if it is a plain value. Each row has a value for each of `kinds`.
    init(rows: [[SQLValue]], kinds: [MergedStatement.Kind]) {
        for (column, kind) in kinds.enumerated() {
            guard let type = kind.elementType else { continue }
            var array: [UInt8] = []
            array.reserveCapacity(24 + rows.count * 48)
            let hasNull = rows.contains { $0[column] == .null }
            // The header: number of dimensions, whether there are nulls, the elements' type, then the length and the lower bound of the
            // only dimension.
            for number in [1, hasNull ? 1 : 0, type, Int32(clamping: rows.count), 1] { array.append(number: number) }
            for row in rows { array.append(element: row[column]) }
            add(array, format: 1)
        }
        if let place = kinds.firstIndex(of: .app), case .text(let app)? = rows.first?[place] { add(Array(app.utf8)) }
    }

    private mutating func add(_ content: [UInt8]?, format: Int32 = 0) {
        formats.append(format)
        lengths.append(Int32(clamping: content?.count ?? 0))
        offsets.append(content == nil ? nil : bytes.count)
        guard let content else { return }
        bytes += content
        bytes.append(0)
    }

    func withPointers<Value>(_ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Value) -> Value {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            return body(offsets.map { offset in offset.flatMap { o in start.map { $0 + o } } }, lengths, formats)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: Int32) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(element: SQLValue) {
        switch element {
        case .null: append(number: Int32(-1))
        case .integer(let number):
            append(number: Int32(8))
            Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
        case .text(let text):
            append(number: Int32(clamping: text.utf8.count))
            append(contentsOf: text.utf8)
        case .bytes(let content):
            append(number: Int32(clamping: content.count))
            append(contentsOf: content)
        }
    }
}

/// The one owner of a connection of libpq, which closes it: also when a step after its opening fails, before anything else owns it.
struct PostgreSQLHandle: ~Copyable {
    let pointer: OpaquePointer
    /// libpq knows its address, so it must live as long.
    private let notices: PostgreSQLNotices

    init(_ pointer: OpaquePointer, notices: PostgreSQLNotices) {
        self.pointer = pointer
        self.notices = notices
        notices.receive(from: pointer)
    }

    deinit { PQfinish(pointer) }

    var isOpen: Bool { PQstatus(pointer) == CONNECTION_OK }
    /// The process of PostgreSQL that libpq was told.
    var process: Int32 { PQbackendPID(pointer) }

    /// Why it can't be used: the lines of libpq's message that contain host and port, one for each address, without its hints.
    var reason: String {
        let lines = String(cString: PQerrorMessage(pointer)).split(separator: "\n")
        let places = lines.filter { $0.hasPrefix("connection to ") }
        return (places.isEmpty ? Array(lines.prefix(1)) : places).joined(separator: "; ")
    }

    /// The address that the connection leads to, for messages.
    var place: String {
        let host = PQhost(pointer).map { String(cString: $0) } ?? ""
        let port = PQport(pointer).map { String(cString: $0) } ?? ""
        return "\(host):\(port)"
    }
}

/// PostgreSQL's notices. By default libpq writes them to standard error, between the lines of the log.
final class PostgreSQLNotices {
    private let take: @Sendable (_ message: String, _ isWarning: Bool) -> Void

    init(_ take: @escaping @Sendable (_ message: String, _ isWarning: Bool) -> Void) {
        self.take = take
    }

    /// The connection must not outlive this object.
    func receive(from handle: OpaquePointer) {
        PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context else { return }
                Unmanaged<PostgreSQLNotices>.fromOpaque(context).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func receive(_ result: OpaquePointer?) {
        func field(_ letter: Character) -> String {
            guard let code = letter.asciiValue, let text = PQresultErrorField(result, Int32(code)) else { return "" }
            return String(cString: text)
        }
        // Only the primary message is used, because the detail may contain values. V is the severity in English, regardless of the
        // language.
        take(field("M"), field("V") == "WARNING")
    }
}
