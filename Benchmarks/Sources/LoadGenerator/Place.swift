import Foundation
import LoadGenerator

/// A fresh database for one engine, gone afterwards.
struct Place {
    let engine: String
    let folder: String
    let url: String

    /// Nil when the engine is not there.
    init?(_ engine: String) throws {
        self.engine = engine
        folder =
            FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-bench-\(UUID().uuidString)").path
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
        try LoadGenerator.run(["psql", server, "-X", "-q", "-c", "CREATE DATABASE \(name)"])
        url = "\(server[..<slash])/\(name)"
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
        guard engine == "postgresql",
            let server = ProcessInfo.processInfo.environment["GATEHOUSE_TEST_POSTGRES_SOCKET"],
            let name = url.split(separator: "/").last
        else { return }
        _ = try? LoadGenerator.run(["psql", server, "-X", "-q", "-c", "DROP DATABASE \(name) WITH (FORCE)"])
    }

    /// Runs statements in the database, while the server runs or not.
    func execute(_ statements: String) throws {
        switch engine {
        case "sqlite": try LoadGenerator.run(["sqlite3", "-bail", "\(folder)/gatehouse.db"], input: statements)
        default: try LoadGenerator.run(["psql", url, "-X", "-q", "-v", "ON_ERROR_STOP=1"], input: statements)
        }
    }
}
