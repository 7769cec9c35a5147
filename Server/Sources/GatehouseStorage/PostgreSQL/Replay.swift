/// A statement with its values.
struct Statement {
    let text: String
    let values: [SQLValue]
    /// Whether it must change a row.
    var mustChange = false
}

/// Determines a body's reads and writes by running it: once for each read, with the results so far. So the reads of several bodies are
/// sent together, and finally their writes.
///
/// It serves bodies that first read and then write by ``Transaction/later(_:ifTaken:)``, such as a login. A body that waits for the
/// result of a write, or reads after one, needs a separate transaction and is `unfit`.
final class Replay: Connection {
    enum Step {
        case asks(Statement)
        /// The body has completed; ``writes`` contains its writes.
        case ends
        case fails(any Error)
        case unfit
    }

    private struct Unanswered: Error {}
    /// The maximum number of reads. More indicate a loop, which should run separately, with a round trip for each.
    private static let questionLimit = 8

    let job: Job
    private(set) var writes: [Statement] = []
    private var answers: [(question: Statement, rows: [[SQLValue]])] = []
    private var position = 0
    private var question: Statement?
    private var isUnfit = false

    init(_ job: Job) {
        self.job = job
    }

    func advance() -> Step {
        writes = []
        position = 0
        question = nil
        do {
            try job.run(in: Transaction(self, engine: .postgresql))
            return isUnfit ? .unfit : .ends
        } catch {
            if isUnfit || error is TransactionConflict { return .unfit }
            if let question { return answers.count < Self.questionLimit ? .asks(question) : .unfit }
            return .fails(error)
        }
    }

    func answer(_ question: Statement, with rows: [[SQLValue]]) {
        answers.append((question, rows))
    }

    func run(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int {
        guard text.hasPrefix("SELECT"), writes.isEmpty else {
            isUnfit = true
            throw Unanswered()
        }
        guard position < answers.count else {
            question = Statement(text: text, values: values)
            throw Unanswered()
        }
        let (known, rows) = answers[position]
        guard known.text == text, known.values == values else {
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
        return rows.count
    }

    /// The caller's error is determined when the body runs alone.
    func runLater(_ text: String, _ values: [SQLValue], _ refusals: LaterRefusals) throws {
        writes.append(Statement(text: text, values: values, mustChange: refusals.missed != nil))
    }
}
