import Synchronization

/// A statement whose parts are known, so that several can be merged into one without reading their text.
struct Statement {
    /// What stays the same when only values change.
    enum Form {
        /// A statement that only reads, with the text between its values.
        case rows([String])
        case insert(into: StaticString, columns: [StaticString])
        /// The text between the assigned values, the columns that identify the rows, and the text between the values of a further
        /// condition.
        case update(StaticString, set: [String], key: [StaticString], condition: [String])
        case delete(from: StaticString, key: [StaticString], condition: [String])
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
        text =
            if case .insert(let table, let columns) = form {
                InsertTexts.text(into: table, columns)
            } else {
                Self.text(of: form, with: .parameters)
            }
    }

    /// Where the values of a statement come from.
    enum Source {
        /// The parameters `$1` to `$n`.
        case parameters
        /// A table with a row for each statement, and the name of each value in it.
        case table(String, names: [String])

        private static let numbered = (0..<64).map { "$\($0 + 1)" }

        func name(_ position: Int) -> String {
            switch self {
            case .parameters where position < Self.numbered.count: Self.numbered[position]
            case .parameters: "$\(position + 1)"
            case .table(_, let names): names[position]
            }
        }

        var table: String? {
            if case .table(let table, _) = self { table } else { nil }
        }
    }

    static func text(of form: Form, with source: Source) -> String {
        var text = StatementText(source: source)
        switch form {
        case .rows(let segments):
            text.append(filling: segments)
        case .insert(let table, let columns):
            text.append("INSERT INTO ", table, " (")
            for (index, column) in columns.enumerated() { text.append(index > 0 ? ", " : "", column, "") }
            text.append(source.table == nil ? ") VALUES (" : ") SELECT ")
            for index in columns.indices { text.appendValue(after: index > 0 ? ", " : "") }
            text.append(source.table.map { " FROM \($0)" } ?? ")")
        case .update(let table, let set, let key, let further):
            text.append("UPDATE ", table, " SET ")
            text.append(filling: set)
            if let table = source.table { text.append(" FROM \(table)") }
            text.append(key, further)
        case .delete(let table, let key, let further):
            text.append("DELETE FROM ", table, "")
            if let table = source.table { text.append(" USING \(table)") }
            text.append(key, further)
        }
        return text.text
    }
}

/// The texts of INSERT statements, each built once. They are most of the writes, and their texts are long.
private enum InsertTexts {
    /// The addresses of the names: a place in the code that inserts always has the same ones.
    private struct Key: Hashable {
        let table: UInt
        let columns: [UInt]
    }

    /// A statement is made without a database, and its text depends on nothing but the names in the source code. So all databases of a
    /// process share the texts.
    private static let texts = Mutex<[Key: String]>([:])

    static func text(into table: StaticString, _ columns: [StaticString]) -> String {
        func built() -> String { Statement.text(of: .insert(into: table, columns: columns), with: .parameters) }
        // A name of a single letter may have no address.
        guard table.hasPointerRepresentation, columns.allSatisfy(\.hasPointerRepresentation) else { return built() }
        let key = Key(
            table: UInt(bitPattern: table.utf8Start), columns: columns.map { UInt(bitPattern: $0.utf8Start) })
        return texts.withLock { texts in
            if let text = texts[key] { return text }
            let text = built()
            texts[key] = text
            return text
        }
    }
}

/// A statement's text in the making.
private struct StatementText {
    let source: Statement.Source
    var text = ""
    private var position = 0

    init(source: Statement.Source) {
        self.source = source
        text.reserveCapacity(256)
    }

    mutating func append(_ part: String) { text += part }

    mutating func append(_ before: String, _ name: StaticString, _ after: String) {
        text += before
        text += name.description
        text += after
    }

    mutating func appendValue(after part: String) {
        text += part
        text += source.name(position)
        position += 1
    }

    /// Puts values between the segments.
    mutating func append(filling segments: [String]) {
        for (index, segment) in segments.enumerated() {
            if index > 0 { appendValue(after: "") }
            text += segment
        }
    }

    mutating func append(_ key: [StaticString], _ further: [String]) {
        for (index, column) in key.enumerated() {
            append(index > 0 ? " AND " : " WHERE ", column, " = ")
            appendValue(after: "")
        }
        if further == [""] { return }
        text += key.isEmpty ? " WHERE (" : " AND ("
        append(filling: further)
        text += ")"
    }
}

/// A statement's text as the key of what is known of it. Its hash looks at the length and at the end, because a text has hundreds of
/// letters and is looked up several times for each call; the comparison looks at everything.
struct StatementKey: Hashable {
    /// As many letters as tell nearly all statements of the same length apart.
    private static let hashedBytes = 24

    let text: String

    static func == (one: StatementKey, other: StatementKey) -> Bool { one.text == other.text }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text.utf8.count)
        var text = text
        text.withUTF8 { utf8 in
            hasher.combine(
                bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8).suffix(Self.hashedBytes)))
        }
    }
}
