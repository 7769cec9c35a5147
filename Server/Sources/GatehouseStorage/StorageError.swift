/// A failure of the database. Its description says what is wrong with a statement but never contains a bound value, which may be a
/// secret.
public enum StorageError: Error, Sendable, Hashable {
    /// The database can't be reached, or the connection was lost during the work. The outcome of a write is unknown.
    case unavailable(String)
    /// Too much work is already waiting.
    case overloaded
    /// The transaction has lost against another one, and would win or see the other's result in another attempt. The engine runs it
    /// again (``DatabaseOptions/attempts``); the caller receives this error when the last attempt has failed as well. A body throws it
    /// when what it has read shows a lost race.
    case conflict
    /// The disk failed to store a write, or returns damaged data, so the stored data is unknown. No further writes are made until the
    /// program restarts, which recovers the acknowledged writes.
    case broken(String)
    /// There is no space left to write.
    case diskFull
    /// A constraint was violated unexpectedly: rules handle expected violations with `ON CONFLICT`.
    case constraintViolated(String)
    /// A row with this key exists unexpectedly: rules handle expected duplicates with `ON CONFLICT` or with an error of their own. The
    /// constraint is told by its name on PostgreSQL, and by its columns on SQLite (``UniqueConstraint``).
    case duplicate(_ constraint: String)
    /// A divided table has no partition for a row's period (``DividedTable``). The engine makes it and runs the body again.
    case noPartition(table: String, value: String)
    /// The database has been migrated by a newer version.
    case schemaTooNew(found: Int, known: Int)
    /// A migration that has run differs from this version's migration with the same number.
    case migrationChanged(number: Int)
    /// A text contains NUL, which PostgreSQL can't store.
    case nulInText
    /// A write inside a `read`.
    case readOnly
    case unexpectedValue(expected: String, found: String)
    /// The database was closed.
    case closed
    /// Anything else, with the engine's own code and message.
    case failed(code: String, message: String)

    static func isConflict(_ error: (any Error)?) -> Bool {
        if case .conflict? = error as? StorageError { true } else { false }
    }

    @usableFromInline static func unexpected(_ value: SQLValue, expected: String) -> StorageError {
        .unexpectedValue(expected: expected, found: value.kind)
    }
}

extension StorageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let reason): "the database can't be reached: \(reason)"
        case .overloaded: "more work waits for the database than is let in"
        case .conflict: "other transactions have changed the same rows in every attempt"
        case .broken(let reason): "the disk did not keep a write, or the database is damaged: \(reason)"
        case .diskFull: "there is no space left on the database's disk"
        case .constraintViolated(let message): "a constraint of the database was violated: \(message)"
        case .duplicate(let constraint): "a row is there already: \(constraint)"
        case .noPartition(let table, _): "the table \(table) has no partition for a row's period"
        case .schemaTooNew(let found, let known):
            "the database has migration \(found), of a newer version; this one knows \(known): install the newer one"
        case .migrationChanged(let number):
            "the database's migration \(number) is not this version's: it was made by a version that was never released, or changed by hand"
        case .nulInText: "a text holds NUL"
        case .readOnly: "a write where only reads are allowed"
        case .unexpectedValue(let expected, let found): "a column holds \(found) where \(expected) is expected"
        case .closed: "the database is closed"
        case .failed(let code, let message): "\(message) (\(code))"
        }
    }
}

/// A primary key or a unique constraint of a table. A rule names the one that decides its race, so that a violation of another remains
/// an error.
public struct UniqueConstraint: Sendable, Hashable {
    /// The constraint's name, which PostgreSQL reports.
    public let name: String
    /// The constraint's columns in order, each with its table, which SQLite reports.
    public let columns: String

    /// A constraint with a name of its own.
    public init(_ name: StaticString, on table: StaticString, _ columns: StaticString...) {
        self.init(name: "\(name)", "\(table)", columns)
    }

    /// A table's primary key.
    public static func primaryKey(of table: StaticString, _ columns: StaticString...) -> UniqueConstraint {
        UniqueConstraint(name: "\(table)_pkey", "\(table)", columns)
    }

    private init(name: String, _ table: String, _ columns: [StaticString]) {
        self.name = name
        self.columns = columns.map { "\(table).\($0)" }.joined(separator: ", ")
    }

    /// Whether an engine means this constraint.
    func isNamed(_ reported: String) -> Bool { reported == name || reported == columns }
}

extension StorageError {
    /// Whether a write has violated this constraint.
    public func violates(_ constraint: UniqueConstraint) -> Bool {
        guard case .duplicate(let reported) = self else { return false }
        return constraint.isNamed(reported)
    }
}
