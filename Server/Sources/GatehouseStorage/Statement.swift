/// A statement whose parts are known, so that several can be merged into one without reading their text.
struct Statement {
    /// What stays the same when only values change.
    enum Form {
        /// A statement that only reads, with the text between its values.
        case rows([String])
        case insert(into: String, columns: [String])
        /// The text between the assigned values, the columns that identify the rows, and the text between the values of a further
        /// condition.
        case update(String, set: [String], key: [String], condition: [String])
        case delete(from: String, key: [String], condition: [String])
    }

    let form: Form
    /// The text for one statement, with the parameters `$1` to `$n`. Statements with the same text differ only in their values.
    let text: String
    /// The values in the order of the parameters.
    let values: [SQLValue]
    /// The positions of the values that identify the rows. Two statements with the same text and different keys concern different rows.
    let key: Range<Int>
    /// Whether it must change a row.
    var mustChange = false

    init(_ form: Form, _ values: [SQLValue], mustChange: Bool = false) throws(StorageError) {
        for case .text(let text) in values where text.utf8.contains(0) { throw .nulInText }
        self.form = form
        self.values = values
        self.mustChange = mustChange
        key =
            switch form {
            case .rows, .insert: 0..<values.count
            case .update(_, let set, let key, _): set.count - 1..<set.count - 1 + key.count
            case .delete(_, let key, _): 0..<key.count
            }
        text = Self.text(of: form)
    }

    /// Where the values of a statement come from.
    struct Source {
        /// A parameter's name, by its position.
        let parameter: (Int) -> String
        /// The table of values, for a merged statement.
        var table: String?
    }

    private static func text(of form: Form) -> String {
        text(of: form, with: Source { "$\($0 + 1)" })
    }

    static func text(of form: Form, with source: Source) -> String {
        var position = 0
        func filled(_ segments: [String]) -> String {
            var text = segments.first ?? ""
            for segment in segments.dropFirst() {
                text += source.parameter(position)
                text += segment
                position += 1
            }
            return text
        }
        func condition(_ key: [String], _ further: [String]) -> String {
            var parts: [String] = []
            for column in key {
                parts.append("\(column) = \(source.parameter(position))")
                position += 1
            }
            if further != [""] { parts.append("(\(filled(further)))") }
            return parts.joined(separator: " AND ")
        }
        switch form {
        case .rows(let segments):
            return filled(segments)
        case .insert(let table, let columns):
            let places = columns.indices.map(source.parameter).joined(separator: ", ")
            let start = "INSERT INTO \(table) (\(columns.joined(separator: ", ")))"
            return source.table.map { "\(start) SELECT \(places) FROM \($0)" } ?? "\(start) VALUES (\(places))"
        case .update(let table, let set, let key, let further):
            let start = "UPDATE \(table) SET \(filled(set))"
            let from = source.table.map { " FROM \($0)" } ?? ""
            return "\(start)\(from) WHERE \(condition(key, further))"
        case .delete(let table, let key, let further):
            let using = source.table.map { " USING \($0)" } ?? ""
            return "DELETE FROM \(table)\(using) WHERE \(condition(key, further))"
        }
    }
}
