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
