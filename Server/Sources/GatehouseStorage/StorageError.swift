/// A failure of the database. Its description names statements' faults and never a bound value, which may be a secret.
public enum StorageError: Error, Sendable, Hashable {
    /// The database can't be reached, or was lost while it worked. The outcome of a write is unknown.
    case unavailable(String)
    /// More work waits than is let in.
    case overloaded
    /// The disk did not keep a write, or what it gives back is damaged: nobody knows what it holds. Nothing is written any more
    /// until the program has been started anew, which recovers what was acknowledged.
    case broken(String)
    /// There is no space left to write.
    case diskFull
    /// A constraint stood in the way: what rules expect is caught by `ON CONFLICT`, so this is an unexpected one.
    case constraintViolated(String)
    /// A row with this key is there already: rules that expect one say `ON CONFLICT`, or what it means.
    case duplicate(String)
    /// The database has been migrated by a newer version.
    case schemaTooNew(found: Int, known: Int)
    /// A migration that has run is not the one that this version knows by its number.
    case migrationChanged(number: Int)
    /// A text holds NUL, which PostgreSQL can't store.
    case nulInText
    /// A write inside a `read`.
    case readOnly
    case unexpectedValue(expected: String, found: String)
    /// The database was closed.
    case closed
    /// Anything else, with the engine's own code and message.
    case failed(code: String, message: String)

    @usableFromInline static func unexpected(_ value: SQLValue, expected: String) -> StorageError {
        .unexpectedValue(expected: expected, found: value.kind)
    }
}

extension StorageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let reason): "the database can't be reached: \(reason)"
        case .overloaded: "more work waits for the database than is let in"
        case .broken(let reason): "the disk did not keep a write, or the database is damaged: \(reason)"
        case .diskFull: "there is no space left on the database's disk"
        case .constraintViolated(let message): "a constraint of the database was violated: \(message)"
        case .duplicate(let message): "a row is there already: \(message)"
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
