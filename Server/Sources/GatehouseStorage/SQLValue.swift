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
