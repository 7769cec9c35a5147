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
