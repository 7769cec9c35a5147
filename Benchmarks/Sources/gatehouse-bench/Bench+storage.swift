import Foundation
import GatehouseWire
import LoadGenerator

// What members and connections take: bytes in the database, bytes and syncs for each login, and memory of connections that wait.
extension Bench {
    /// Bytes of a member in the database with its indexes, by the member's history and by table.
    func measureBytes() throws {
        let guests = 10_000
        try sayBytes("guest that came once", members: guests) { _ = try app.loggedIn(guests) }
        let players = 4_000
        let names = (0..<players).map { "came-\($0)" }
        try sayBytes("Google player that came once", members: players) {
            try answer(app.logins(TestApp.devices(players), bodies: provider.credentials(names)))
        }
        let loyal = 1_000
        try sayBytes("guest with a mapping and ten more logins", members: loyal) {
            let members = try app.loggedIn(loyal)
            try answer(
                app.calls(
                    Endpoints.addMapping, of: members,
                    bodies: provider.credentials((0..<loyal).map { "loyal-\($0)" })))
            for _ in 0..<10 { try answer(app.calls(Endpoints.logInWithLastProvider, of: members)) }
        }
        let logins = 10_000
        let (bytes, syncs) = (try place.writtenBytes(by: server.id), commits())
        _ = try app.loggedIn(logins)
        let (bytesAfter, syncsAfter) = (try place.writtenBytes(by: server.id), commits())
        say(
            "new guest, 16 connections  \(place.engine)  \((bytesAfter - bytes) / logins) bytes written, "
                + "\(String(format: "%.2f", (syncsAfter - syncs) / Double(logins))) syncs for each login")
    }

    private func sayBytes(_ name: String, members: Int, _ make: () throws -> Void) throws {
        let before = try place.bytesByTable()
        try make()
        let grown = try place.bytesByTable()
            .map { (table: $0.key, bytes: ($0.value - (before[$0.key] ?? 0)) / members) }
            .filter { $0.bytes > 0 }.sorted { $0.bytes > $1.bytes }
        let tables = grown.map { "\($0.table) \($0.bytes)" }.joined(separator: ", ")
        say("\(name)  \(place.engine)  \(grown.reduce(0) { $0 + $1.bytes }) bytes: \(tables)")
    }

    /// Transactions that were made durable, each with one sync of the log.
    private func commits() -> Double {
        var requests = RequestList()
        requests.add(HTTPRequest("GET", "/metrics").bytes)
        var commits = 0.0
        var load = Load(port: Self.port, connections: 1, seconds: 10)
        load.onOutcome = { _, answer in
            let lines = String(decoding: answer?.body ?? [], as: UTF8.self).split(separator: "\n")
            let line = lines.first { $0.hasPrefix("gatehouse_database_commit_writes_count") }
            commits = line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
        }
        _ = load.run(requests)
        return commits
    }

    /// Memory of ten thousand connections of clients that have made a call and now wait.
    func measureConnections() throws {
        let count = 10_000
        var limit = rlimit(rlim_cur: 65_536, rlim_max: 65_536)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let before = server.memory.now
        var requests = RequestList()
        for _ in 0..<count { requests.add(HTTPRequest("GET", "/health/live").bytes) }
        var after = 0.0
        let result = Load(port: Self.port, connections: count, seconds: 60).run(requests) { after = server.memory.now }
        say(
            "open connections  \(place.engine)  \(result.successes) of \(count) take \(Int(after - before)) MB, "
                + "\(Int((after - before) * 1_024 / Double(max(1, result.successes)))) KB each")
    }
}

extension Place {
    /// Bytes of every table with its indexes.
    func bytesByTable() throws -> [String: Int] {
        let text =
            engine == "sqlite"
            ? try execute(
                """
                PRAGMA wal_checkpoint(FULL);
                SELECT coalesce(m.tbl_name, d.name)||' '||SUM(d.pgsize) FROM dbstat AS d
                LEFT JOIN sqlite_master AS m ON m.name = d.name GROUP BY coalesce(m.tbl_name, d.name);
                """)
            : try execute(
                """
                SELECT coalesce(p.relname, c.relname)||' '||SUM(pg_total_relation_size(c.oid)) FROM pg_class c
                LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
                WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY coalesce(p.relname, c.relname);
                """)
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        return Dictionary(
            lines.compactMap { words in words.count == 2 ? Int(words[1]).map { (String(words[0]), $0) } : nil }
        ) { first, _ in first }
    }

    /// Bytes that were written for the database so far: into PostgreSQL's write-ahead log, or by the server's process to the disk.
    func writtenBytes(by process: Int32) throws -> Int {
        if engine == "postgresql" {
            let text = try execute("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint;")
            return Int(text.split(separator: "\n").first ?? "") ?? 0
        }
        let lines = try String(contentsOfFile: "/proc/\(process)/io", encoding: .utf8).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("write_bytes:") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
}
