@testable import GatehouseStorage

/// The steps by which an engine answers one statement.
struct QueryPlan: CustomStringConvertible {
    let statement: String
    let steps: [String]

    var description: String { "\n" + ([statement] + steps).joined(separator: "\n") }

    /// The steps that look through rows without a condition, or sort rows.
    var costly: [String] {
        steps.filter { step in
            let node = step.drop { " ->".contains($0) }
            return step.hasPrefix("SCAN ") || step.contains("TEMP B-TREE") || node.hasPrefix("Seq Scan")
                || node.hasPrefix("Parallel Seq Scan") || node.hasPrefix("Incremental Sort")
                || node.hasPrefix("Sort") && !node.hasPrefix("Sort Key")
        }
    }
}

extension Transaction {
    /// The plans of the statements that a query runs.
    ///
    /// PostgreSQL looks through a small table rather than use its indexes, and sorts the rows. Here it does so only if nothing else is
    /// possible, so that its plans are those of large tables. The database has to be one that no other test has used.
    func plans(of query: (Reader) throws -> Void) throws -> [QueryPlan] {
        if engine == .postgresql {
            for name in ["enable_seqscan", "enable_bitmapscan", "enable_sort"] {
                _ = try first("SELECT set_config(\(name), 'off', TRUE)") { _ in true }
            }
        }
        let explaining = ExplainingConnection(connection, engine: engine)
        try query(Reader(explaining, engine: engine))
        return explaining.plans
    }
}

/// Asks for the plan of every statement before it runs it.
private final class ExplainingConnection: Connection {
    private let connection: any Connection
    private let isSQLite: Bool
    private(set) var plans: [QueryPlan] = []

    init(_ connection: any Connection, engine: Engine) {
        self.connection = connection
        isSQLite = engine == .sqlite
    }

    func read(_ statement: Statement, _ row: (Row) throws -> Bool) throws {
        let command = isSQLite ? "EXPLAIN QUERY PLAN" : "EXPLAIN (COSTS OFF)"
        let column = isSQLite ? 3 : 0
        var steps: [String] = []
        _ = try connection.run("\(command) \(statement.text)", statement.values) { row in
            steps.append(try row[column])
            return true
        }
        plans.append(QueryPlan(statement: statement.text, steps: steps))
        try connection.read(statement, row)
    }

    func run(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int {
        try connection.run(text, values, row)
    }

    func write(_ write: Write) throws { try connection.write(write) }
}
