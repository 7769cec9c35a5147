/// A record that could be read.
enum SourceRecord {
    case object(SourceObject)
    case row([String])

    func object() throws(RecordProblem) -> SourceObject {
        guard case .object(let object) = self else { throw RecordProblem(.badType, "it must be an object") }
        return object
    }

    func row() throws(RecordProblem) -> [String] {
        guard case .row(let row) = self else { throw RecordProblem(.badType, "it must be a row") }
        return row
    }
}
