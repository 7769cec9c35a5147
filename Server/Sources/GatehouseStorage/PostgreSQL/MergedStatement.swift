/// A statement of several callers, rewritten to run once for the values of all of them.
///
/// PostgreSQL spends most of a small statement's time on starting and ending it. So statements with the same text but different values
/// are merged into one: its values are arrays, and a row of them is called `batch`. A SELECT runs for each of these rows, an INSERT
/// selects its values from them, and an UPDATE or DELETE is joined with them.
enum MergedStatement {
    /// The type of a parameter's values.
    enum Kind: Hashable {
        case null, integer, text, bytes

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
            case .null: nil
            case .integer: 20
            case .text: 25
            case .bytes: 17
            }
        }

        fileprivate var array: String {
            switch self {
            case .null: ""
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

    /// The text that runs `text` for every row of the arrays, or nil when its form can't be rewritten. A SELECT's first column is then
    /// the number of the row, counted from 1, followed by its own columns.
    ///
    /// - Parameter mustChange: whether each row of the arrays must change a row.
    static func text(merging text: String, kinds: [Kind], mustChange: Bool = false) -> String? {
        guard kinds.contains(where: { $0 != .null }) else { return nil }
        let body = replacingParameters(of: text, kinds: kinds)
        let names = kinds.indices.filter { kinds[$0] != .null }
        let arrays = names.enumerated().map { "CAST($\($0.offset + 1) AS \(kinds[$0.element].array))" }
        let columns = names.map { "p\($0 + 1)" }
        let source = "unnest(\(arrays.joined(separator: ", ")))"
        let batch = "\(source) AS batch (\(columns.joined(separator: ", ")))"
        if body.hasPrefix("SELECT") {
            return """
                SELECT batch.number, each.* FROM \(source) WITH ORDINALITY
                    AS batch (\((columns + ["number"]).joined(separator: ", "))) CROSS JOIN LATERAL (\(body)) AS each
                """
        }
        if body.hasPrefix("INSERT") {
            guard let start = body.firstRange(of: "VALUES ("),
                body[start.upperBound...].firstRange(of: "VALUES") == nil,
                !body.contains("ON CONFLICT"), let end = body.lastIndex(of: ")"), start.upperBound < end
            else { return nil }
            return "\(body[..<start.lowerBound])SELECT \(body[start.upperBound..<end]) FROM \(batch)"
        }
        guard let condition = conditionStart(of: body) else { return nil }
        let keyword = body.hasPrefix("UPDATE") ? "FROM" : "USING"
        guard body.hasPrefix("UPDATE") || body.hasPrefix("DELETE"), let first = arrays.first else { return nil }
        let merged = "\(body[..<condition])\(keyword) \(batch) \(body[condition...])"
        return mustChange ? requiringChange(merged, of: "cardinality(\(first))") : merged
    }

    /// The error code of a statement that has changed too few rows. The server raises it, so that the following commit in the pipeline
    /// fails too.
    static let missedCode = "22012"

    /// A form of the statement that fails with ``missedCode`` unless it changes this number of rows.
    static func requiringChange(_ text: String, of count: String = "1") -> String {
        """
        WITH changed AS (\(text) RETURNING 1)
        SELECT 1 / CASE WHEN (SELECT count(*) FROM changed) >= \(count) THEN 1 ELSE 0 END
        """
    }

    /// The number of parameters before the `WHERE` clause. The rest identify the rows. An `INSERT` has none before it.
    static func parametersBeforeCondition(of text: String) -> Int {
        guard !text.hasPrefix("INSERT"), let condition = conditionStart(of: text) else { return 0 }
        return text[..<condition].utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "$") ? 1 : 0) }
    }

    /// The position of the only WHERE. A statement with several has subqueries, and is not rewritten.
    private static func conditionStart(of text: String) -> String.Index? {
        guard let first = text.firstRange(of: "WHERE"), text[first.upperBound...].firstRange(of: "WHERE") == nil else {
            return nil
        }
        return first.lowerBound
    }

    private static func replacingParameters(of text: String, kinds: [Kind]) -> String {
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "$") {
            result += rest[..<mark]
            let digits = rest[rest.index(after: mark)...].prefix { $0.isASCII && $0.isNumber }
            let index = (Int(digits) ?? 0) - 1
            result += kinds.indices.contains(index) && kinds[index] != .null ? "batch.p\(digits)" : "NULL"
            rest = rest[digits.endIndex...]
        }
        return result + rest
    }
}
