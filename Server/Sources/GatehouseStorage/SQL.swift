/// One statement with its values. It is written as a string literal: each interpolated value becomes a parameter, numbered in the order
/// of appearance. The text can contain only other statements and the ``Keyword``s that the engines spell differently, so a value can't
/// be concatenated.
///
/// The parameters are `$1` to `$n` on both engines. SQLite interprets `$1` as a name and numbers names by first appearance, which
/// always gives the same order here.
public struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// Keywords that the engines spell differently.
    public enum Keyword: Sendable, CaseIterable {
        /// The type of binary values.
        case bytes
        /// Follows a table's last parenthesis: rows are stored in their primary key, without a second index for it.
        case clustered
    }

    /// The text between the values, with one segment more than there are values.
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

        /// A row for each value, in the form of `VALUES`, padded with rows of NULL up to a power of two, so that few texts are prepared
        /// for all numbers of values. Join with it: an engine without statistics makes a bad plan for an `IN` with many values.
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

    /// The statement for an engine that reads its rows.
    ///
    /// - Throws: ``StorageError/nulInText``, because PostgreSQL can't store NUL, and a C string would end there.
    func reading() throws(StorageError) -> Statement { try Statement(.rows(segments), values) }

    /// The text for an engine, which is the key of its prepared statement, and the values in the order of the parameters.
    ///
    /// - Throws: ``StorageError/nulInText``, because PostgreSQL can't store NUL, and a C string would end there.
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

/// The engines that implement ``Database``.
enum Engine: Sendable {
    case sqlite, postgresql

    /// A placeholder for a keyword until the engine is known. No statement's own text contains NUL.
    static func mark(of keyword: SQL.Keyword) -> String { "\0\(keyword)\0" }

    func spelling(of keyword: SQL.Keyword) -> String {
        switch (keyword, self) {
        case (.bytes, .sqlite): "BLOB"
        case (.bytes, .postgresql): "BYTEA"
        case (.clustered, .sqlite): " WITHOUT ROWID"
        // PostgreSQL's tables are heaps, so the primary key is an index like any other.
        case (.clustered, .postgresql): ""
        }
    }
}

/// A value in the form that both engines store.
public enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    /// The name of the type, for errors, because the value itself may be a secret.
    @usableFromInline var kind: String {
        switch self {
        case .null: "null"
        case .integer: "integer"
        case .text: "text"
        case .bytes: "bytes"
        }
    }
}

extension SQLValue: Comparable {
    /// An arbitrary fixed order: by type, and within a type the natural one.
    public static func < (one: SQLValue, other: SQLValue) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one < other
        case (.text(let one), .text(let other)): one < other
        case (.bytes(let one), .bytes(let other)): one.lexicographicallyPrecedes(other)
        default: one.kind < other.kind
        }
    }
}

/// A type that can be stored in a column.
public protocol SQLConvertible {
    var sqlValue: SQLValue { get }
    /// - Throws: ``StorageError/unexpectedValue(expected:found:)`` when the column's value has another type.
    init(sqlValue: SQLValue) throws
}

/// For what copies columns without knowing their types.
extension SQLValue: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { self }

    @inlinable public init(sqlValue: SQLValue) { self = sqlValue }
}

extension Int64: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .integer(self) }

    @inlinable public init(sqlValue: SQLValue) throws {
        guard case .integer(let value) = sqlValue else { throw StorageError.unexpected(sqlValue, expected: "integer") }
        self = value
    }
}

extension Int: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .integer(Int64(self)) }

    @inlinable public init(sqlValue: SQLValue) throws {
        guard let value = Int(exactly: try Int64(sqlValue: sqlValue)) else {
            throw StorageError.unexpected(sqlValue, expected: "integer")
        }
        self = value
    }
}

extension Bool: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .integer(self ? 1 : 0) }

    @inlinable public init(sqlValue: SQLValue) throws { self = try Int64(sqlValue: sqlValue) != 0 }
}

extension String: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .text(self) }

    @inlinable public init(sqlValue: SQLValue) throws {
        guard case .text(let value) = sqlValue else { throw StorageError.unexpected(sqlValue, expected: "text") }
        self = value
    }
}

extension [UInt8]: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .bytes(self) }

    @inlinable public init(sqlValue: SQLValue) throws {
        guard case .bytes(let value) = sqlValue else { throw StorageError.unexpected(sqlValue, expected: "bytes") }
        self = value
    }
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { self?.sqlValue ?? .null }

    @inlinable public init(sqlValue: SQLValue) throws {
        self = sqlValue == .null ? nil : try Wrapped(sqlValue: sqlValue)
    }
}

extension SQLConvertible where Self: RawRepresentable, RawValue: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { rawValue.sqlValue }

    @inlinable public init(sqlValue: SQLValue) throws {
        guard let value = Self(rawValue: try RawValue(sqlValue: sqlValue)) else {
            throw StorageError.unexpected(sqlValue, expected: "\(Self.self)")
        }
        self = value
    }
}
