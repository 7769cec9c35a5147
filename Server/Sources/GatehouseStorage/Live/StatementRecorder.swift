import GatehousePlatform

/// Writes down which statements a connection to PostgreSQL sends, transaction by transaction, for `scripts/check-distribution`. It exists
/// only in a process whose environment names a folder in `GATEHOUSE_RECORD_STATEMENTS`.
///
/// A line of the file is a transaction: an array of statements, each with its text and its values. Only short texts are written as
/// values, and everything else as null, because the check compares apps and nothing else. It is used by one thread.
final class StatementRecorder {
    private let file: OpenFile
    private var transaction: [Line] = []

    /// A statement's text and its values.
    private struct Line: Encodable {
        let text: String
        let values: [String?]

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(text)
            try list.encode(values)
        }
    }

    private init(_ file: OpenFile) {
        self.file = file
    }

    /// A recorder for a new connection; nil without the variable.
    static func make() -> StatementRecorder? {
        guard let folder = ProcessInfo.processInfo.environment["GATEHOUSE_RECORD_STATEMENTS"], !folder.isEmpty else {
            return nil
        }
        // Connections of one process share the file: what is appended by one call stays together.
        let descriptor = open("\(folder)/\(getpid()).jsonl", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        return StatementRecorder(OpenFile(descriptor: descriptor))
    }

    /// Adds a statement to the transaction that has begun.
    func add(_ text: String, _ values: [SQLValue]) {
        let known = values.map { value -> String? in
            if case .text(let text) = value, text.utf8.count <= 64 { text } else { nil }
        }
        transaction.append(Line(text: text, values: known))
    }

    /// Writes down a transaction of its own.
    func add(_ statements: [Statement]) {
        end()
        for statement in statements { add(statement.text, statement.values) }
        end()
    }

    /// Ends the transaction, and writes it down.
    func end() {
        guard !transaction.isEmpty else { return }
        if var line = try? JSONEncoder().encode(transaction) {
            line.append(UInt8(ascii: "\n"))
            try? file.write(line)
        }
        transaction = []
    }
}
