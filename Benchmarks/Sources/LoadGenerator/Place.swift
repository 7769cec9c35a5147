import Foundation

/// A fresh database for one engine, which is deleted afterwards.
public struct Place: Sendable {
    public let engine: String
    public let folder: String
    public let url: String
    /// Whether the database is on the server of scripts/with-postgres, where it has to be dropped.
    private let isShared: Bool

    /// A database of PostgreSQL that somebody else makes and removes.
    ///
    /// - Parameter folder: for the files of servers. It is created.
    public init(folder: String, url: String) {
        engine = "postgresql"
        self.folder = folder
        self.url = url
        isShared = false
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Nil when the engine is not available.
    public init?(_ engine: String, folder: String? = nil) throws {
        self.engine = engine
        isShared = engine == "postgresql"
        self.folder =
            folder
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-\(UUID().uuidString)").path
        let folder = self.folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if engine == "sqlite" {
            url = "sqlite:\(folder)/gatehouse.db"
            return
        }
        guard engine == "postgresql",
            let server = ProcessInfo.processInfo.environment["GATEHOUSE_TEST_POSTGRES_SOCKET"],
            let slash = server.lastIndex(of: "/")
        else { return nil }
        let name = "bench_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        try run(["psql", server, "-X", "-q", "-c", "CREATE DATABASE \(name)"])
        url = "\(server[..<slash])/\(name)"
    }

    public func remove() {
        try? FileManager.default.removeItem(atPath: folder)
        guard isShared, let server = ProcessInfo.processInfo.environment["GATEHOUSE_TEST_POSTGRES_SOCKET"],
            let name = url.split(separator: "/").last
        else { return }
        _ = try? run(["psql", server, "-X", "-q", "-c", "DROP DATABASE \(name) WITH (FORCE)"])
    }

    /// Begins a transaction that writes. The server writes now and then too, and SQLite refuses a transaction that has read before.
    public var begin: String { engine == "sqlite" ? "BEGIN IMMEDIATE" : "BEGIN" }

    /// A table with the column `n`, for FROM: the numbers of a range.
    public func series(_ range: Range<Int>) -> String {
        let call = "generate_series(\(range.lowerBound), \(range.upperBound - 1))"
        return engine == "sqlite"
            ? "(SELECT value AS n FROM \(call)) AS series" : "(SELECT CAST(\(call) AS BIGINT) AS n) AS series"
    }

    /// Runs statements in the database, while the server runs or not, and returns what they print: a line a row.
    @discardableResult
    public func execute(_ statements: String) throws -> String {
        switch engine {
        case "sqlite":
            try run(["sqlite3", "-bail", "-cmd", ".timeout 60000", "\(folder)/gatehouse.db"], input: statements)
        default: try run(["psql", url, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"], input: statements)
        }
    }
}
