/// One statement with its values. Write it as a string literal: each interpolated value becomes a parameter, numbered in
/// the order of appearance, and nothing else can be put into the text but other statements and the ``Keyword``s that the
/// engines spell differently. A value can't be concatenated.
///
/// The parameters are `$1` to `$n` on both engines. SQLite takes `$1` for a name and numbers names by first appearance,
/// which is the same order here by construction.
public struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// What the engines spell differently.
    public enum Keyword: Sendable {
        /// The type of bytes.
        case bytes
        /// After a table's last parenthesis: rows lie in their primary key, without a second index for it.
        case clustered
    }

    enum Piece: Sendable {
        case text(String)
        case keyword(Keyword)
        case value(SQLValue)
    }

    fileprivate var pieces: [Piece]

    public init(stringLiteral text: String) {
        pieces = [.text(text)]
    }

    public init(stringInterpolation interpolation: StringInterpolation) {
        pieces = interpolation.pieces
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pieces: [Piece] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            pieces.reserveCapacity(interpolationCount * 2 + 1)
        }

        public mutating func appendLiteral(_ text: String) {
            if !text.isEmpty { pieces.append(.text(text)) }
        }

        public mutating func appendInterpolation(_ value: some SQLConvertible) {
            pieces.append(.value(value.sqlValue))
        }

        public mutating func appendInterpolation(_ value: (some SQLConvertible)?) {
            pieces.append(.value(value?.sqlValue ?? .null))
        }

        public mutating func appendInterpolation(_ statement: SQL) {
            pieces.append(contentsOf: statement.pieces)
        }

        public mutating func appendInterpolation(_ keyword: Keyword) {
            pieces.append(.keyword(keyword))
        }
    }

    /// The text for an engine, which is the key of its prepared statement, and the values in the order of the parameters.
    func rendered(for engine: Engine) -> (text: String, values: [SQLValue]) {
        var text = ""
        var values: [SQLValue] = []
        for piece in pieces {
            switch piece {
            case .text(let literal): text += literal
            case .keyword(let keyword): text += engine.spelling(of: keyword)
            case .value(let value):
                values.append(value)
                text += "$"
                text += String(values.count)
            }
        }
        return (text, values)
    }
}

/// The engines behind ``Database``.
enum Engine: Sendable {
    case sqlite, postgresql

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
