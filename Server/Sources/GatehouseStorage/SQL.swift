/// One statement with its values. Write it as a string literal: each interpolated value becomes a parameter, numbered in
/// the order of appearance, and nothing else can be put into the text but other statements and the ``Keyword``s that the
/// engines spell differently. A value can't be concatenated.
///
/// The parameters are `$1` to `$n` on both engines. SQLite takes `$1` for a name and numbers names by first appearance,
/// which is the same order here by construction.
public struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// What the engines spell differently.
    public enum Keyword: Sendable, CaseIterable {
        /// The type of bytes.
        case bytes
        /// After a table's last parenthesis: rows lie in their primary key, without a second index for it.
        case clustered
    }

    /// The text between the values: one more than there are of these.
    @usableFromInline var segments: [String]
    @usableFromInline var values: [SQLValue]
    @usableFromInline var hasKeywords = false

    public init(stringLiteral text: String) {
        segments = [text]
        values = []
    }

    @inlinable
    public init(stringInterpolation interpolation: StringInterpolation) {
        self = interpolation.statement
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        @usableFromInline var statement: SQL

        @inlinable
        public init(literalCapacity: Int, interpolationCount: Int) {
            statement = ""
            statement.segments.reserveCapacity(interpolationCount + 1)
            statement.values.reserveCapacity(interpolationCount)
        }

        @inlinable
        public mutating func appendLiteral(_ text: String) {
            statement.append(text)
        }

        @inlinable
        public mutating func appendInterpolation(_ value: some SQLConvertible) {
            statement.append(value.sqlValue)
        }

        @inlinable
        public mutating func appendInterpolation(_ value: (some SQLConvertible)?) {
            statement.append(value?.sqlValue ?? .null)
        }

        public mutating func appendInterpolation(_ other: SQL) {
            for (index, segment) in other.segments.enumerated() {
                if index > 0 { statement.append(other.values[index - 1]) }
                statement.append(segment)
            }
            statement.hasKeywords = statement.hasKeywords || other.hasKeywords
        }

        /// A row for each value, as `VALUES` takes them, and rows of NULL up to a power of two: few texts are prepared, whatever
        /// the numbers of values. To be joined with: an `IN` of many values is planned badly by an engine without statistics.
        public mutating func appendInterpolation(rows values: [some SQLConvertible]) {
            var count = 1
            while count < values.count { count *= 2 }
            for index in 0..<count {
                statement.append(index > 0 ? "), (" : "(")
                statement.append(index < values.count ? values[index].sqlValue : .null)
            }
            statement.append(")")
        }

        public mutating func appendInterpolation(_ keyword: Keyword) {
            statement.append(Engine.mark(of: keyword))
            statement.hasKeywords = true
        }
    }

    @usableFromInline mutating func append(_ text: String) {
        let last = segments.count - 1
        if segments[last].isEmpty { segments[last] = text } else { segments[last] += text }
    }

    @usableFromInline mutating func append(_ value: SQLValue) {
        values.append(value)
        segments.append("")
    }

    /// The text for an engine, which is the key of its prepared statement, and the values in the order of the parameters.
    ///
    /// - Throws: ``StorageError/nulInText``: PostgreSQL can't store it, and a C string would end there.
    func rendered(for engine: Engine) throws(StorageError) -> (text: String, values: [SQLValue]) {
        for case .text(let text) in values where text.utf8.contains(0) { throw .nulInText }
        return (text(for: engine), values)
    }

    func text(for engine: Engine) -> String {
        var text = ""
        text.reserveCapacity(segments.reduce(0) { $0 + $1.utf8.count + 3 })
        for (index, segment) in segments.enumerated() {
            if index > 0 {
                text += "$"
                text += String(index)
            }
            text += segment
        }
        if hasKeywords {
            for keyword in Keyword.allCases {
                text = text.replacing(Engine.mark(of: keyword), with: engine.spelling(of: keyword))
            }
        }
        return text
    }
}

/// The engines behind ``Database``.
enum Engine: Sendable {
    case sqlite, postgresql

    /// Stands for a keyword until the engine is known: no statement's own text holds NUL.
    static func mark(of keyword: SQL.Keyword) -> String { "\0\(keyword)\0" }

    func spelling(of keyword: SQL.Keyword) -> String {
        switch (keyword, self) {
        case (.bytes, .sqlite): "BLOB"
        case (.bytes, .postgresql): "BYTEA"
        case (.clustered, .sqlite): " WITHOUT ROWID"
        // PostgreSQL's tables are heaps: the primary key is an index like any other.
        case (.clustered, .postgresql): ""
        }
    }
}
