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
