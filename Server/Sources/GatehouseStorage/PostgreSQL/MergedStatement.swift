/// A statement of several callers, rewritten to run once for the values of all of them.
///
/// PostgreSQL spends most of a small statement's time on starting and ending it. So statements with the same text but different values
/// are merged into one: its values are arrays, and a row of them is called `batch`. A reading statement runs for each of these rows, an
/// INSERT selects its values from them, and an UPDATE or DELETE is joined with them.
enum MergedStatement {
    /// The type of a parameter's values.
    enum Kind: Hashable {
        case null, integer, text, bytes
        /// The app, which is the same in all rows, and a plain value and not a column of `batch`: an engine that distributes tables
        /// finds the node by it.
        case app

        init(_ value: SQLValue) {
            self =
                switch value {
                case .null: .null
                case .integer: .integer
                case .text: .text
                case .bytes: .bytes
                }
        }

        /// PostgreSQL's object id of the type, fixed in its catalogue. Nil if all values are null: then the text contains them.
        var elementType: Int32? {
            switch self {
            case .null, .app: nil
            case .integer: 20
            case .text: 25
            case .bytes: 17
            }
        }

        fileprivate var array: String {
            switch self {
            case .null, .app: ""
            case .integer: "BIGINT[]"
            case .text: "TEXT[]"
            case .bytes: "BYTEA[]"
            }
        }
    }

    /// The type of each parameter over all rows; nil when a parameter has several types.
    static func kinds(of rows: [[SQLValue]]) -> [Kind]? {
        guard let first = rows.first else { return nil }
        var kinds = first.map(Kind.init)
        for row in rows.dropFirst() {
            guard row.count == kinds.count else { return nil }
            for (index, value) in row.enumerated() {
                let kind = Kind(value)
                if kinds[index] == .null {
                    kinds[index] = kind
                } else if kind != .null, kind != kinds[index] {
                    return nil
                }
            }
        }
        return kinds
    }

    /// The text that runs a statement for every row of the arrays; nil if all values are null. A reading statement's first column is then
    /// the number of the row, counted from 1, followed by its own columns.
    ///
    /// - Parameter mustChange: whether each row of the arrays must change a row.
    static func text(of form: Statement.Form, kinds: [Kind], mustChange: Bool = false) -> String? {
        let named = kinds.indices.filter { kinds[$0].elementType != nil }
        guard !named.isEmpty else { return nil }
        let arrays = named.enumerated().map { "CAST($\($0.offset + 1) AS \(kinds[$0.element].array))" }
        // The rows are numbered only where the number is asked for.
        let isRead = if case .rows = form { true } else { false }
        let isNumbered = isRead || mustChange
        let columns = (named.map { "p\($0 + 1)" } + (isNumbered ? ["number"] : [])).joined(separator: ", ")
        let ordinality = isNumbered ? " WITH ORDINALITY" : ""
        let batch = "unnest(\(arrays.joined(separator: ", ")))\(ordinality) AS batch (\(columns))"
        let names = kinds.indices.map { index in
            switch kinds[index] {
            case .null: "NULL"
            case .app: "CAST($\(named.count + 1) AS TEXT)"
            default: "batch.p\(index + 1)"
            }
        }
        let text = Statement.text(of: form, with: .table(batch, names: names))
        if isRead { return "SELECT batch.number, each.* FROM \(batch) CROSS JOIN LATERAL (\(text)) AS each" }
        return mustChange ? requiringChange(text, by: "batch.number", of: "cardinality(\(arrays[0]))") : text
    }

    /// The constraint that a statement violates when it has changed too few rows. The server raises the error, so that the following
    /// commit in the pipeline fails too.
    static let missedConstraint = "rows_missed"

    /// A form of the statement that violates ``missedConstraint`` unless it changes rows for this number of different values.
    static func requiringChange(_ text: String, by value: String = "1 AS number", of count: String = "1") -> String {
        """
        WITH changed AS (\(text) RETURNING \(value))
        INSERT INTO missed_rows (missed) SELECT 1 WHERE (SELECT count(DISTINCT number) FROM changed) < \(count)
        """
    }
}

/// The order in which the statements of several transactions are sent as one transaction.
enum MergeLayers {
    /// Groups the statements so that those of a group can be merged: they have the same text and concern different rows. The statements
    /// of each transaction stay in order, and so do those about the same rows.
    static func groups(of transactions: [[Statement]]) -> [[Statement]] {
        var groups: [[Statement]] = []
        var rest = transactions.map { $0[...] }
        while let next = rest.lazy.compactMap(\.first).first {
            var alike: [Statement] = []
            for index in rest.indices {
                guard let first = rest[index].first, first.text == next.text, first.mustChange == next.mustChange
                else { continue }
                alike.append(first)
                rest[index].removeFirst()
            }
            groups += layers(of: alike)
        }
        return groups
    }

    /// Divides statements with the same text into layers without two statements about the same rows. Each layer is sorted, so that two
    /// batches lock the same rows in the same order and don't deadlock.
    private static func layers(of statements: [Statement]) -> [[Statement]] {
        guard statements.count > 1 else { return [statements] }
        // Those about the same rows are then neighbours, in the order in which they came.
        let sorted = statements.enumerated().sorted { one, other in
            order(of: one.element, other.element) ?? (one.offset < other.offset)
        }
        var layers: [[Statement]] = [[]]
        var depth = 0
        for (index, (_, statement)) in sorted.enumerated() {
            let isRepeated = index > 0 && order(of: sorted[index - 1].element, statement) == nil
            depth = isRepeated ? depth + 1 : 0
            if depth == layers.count { layers.append([]) }
            layers[depth].append(statement)
        }
        return layers
    }

    /// Whether a statement's rows come before those of another with the same text; nil if the rows are the same.
    private static func order(of one: Statement, _ other: Statement) -> Bool? {
        for index in one.key where one.values[index] != other.values[index] {
            return one.values[index] < other.values[index]
        }
        return nil
    }
}
