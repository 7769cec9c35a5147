import Foundation
import GatehouseWire
import LoadGenerator

/// A file system of some megabytes, in memory.
struct SmallDisk {
    let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        do {
            try run(["mount", "-t", "tmpfs", "-o", "size=24m", "gatehouse-chaos", folder])
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw Absent("a small file system can't be mounted here: it takes root")
        }
    }

    func remove() {
        _ = try? run(["umount", "-l", folder])
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// Disks that are full, that fail, and that are copied.
enum DiskFaults {
    /// REL-3: no space left.
    static func full(_ arena: Arena, _ disk: SmallDisk?) throws -> String {
        guard let disk else { throw Absent("no small disk") }
        let server = try arena.start()
        defer { server.stop() }
        let players = try arena.app.loggedIn(200)
        let filler = "\(disk.folder)/filler"
        // dd stops at the end of the disk with an error, which is expected.
        _ = try? run(["dd", "if=/dev/zero", "of=\(filler)", "bs=64k", "status=none"])
        let history = History()
        try history.load(arena.app, devices: TestApp.devices(3_000), seconds: 3)
        let (statuses, lost) = history.failures
        try require(lost == 0 && Set(statuses.keys) == [503], "on a full disk: \(history.summary())")
        let reads = Load(port: arena.app.ports[0], connections: 8, seconds: 20).run(arena.app.tokenChecks(of: players))
        try require(reads.errors == 0, "\(reads.errors) of \(reads.successes) reads failed on a full disk")
        // The log is on the same disk, so it doesn't help.
        let said = try arena.body("/metrics").contains(#"gatehouse_database_errors_total{kind="disk_full"}"#)
        try require(said, "the metrics don't say that the disk is full")
        try FileManager.default.removeItem(atPath: filler)
        let after = History()
        try after.load(arena.app, devices: TestApp.devices(2_000), seconds: 5)
        try require(after.acknowledged.count == 2_000, "with space again: \(after.summary())")
        try history.check(history.acknowledged, arena.app)
        try after.check(after.acknowledged, arena.app)
        return "full: \(history.summary()), reads went on; with space again: \(after.summary()), without a restart"
    }

    /// REL-2: the disk reports that it has not stored the data.
    static func failingSync(_ arena: Arena) throws -> String {
        guard (try? run(["which", "strace"])) != nil else { throw Absent("strace isn't there") }
        let server = try arena.start()
        let history = History()
        let injection = History.Fault(after: 1.5) {
            // It ends with the server. Its output is ignored.
            _ = try? run([
                "strace", "-f", "-q", "-o", "/dev/null", "-p", "\(server.id)", "-e", "trace=fsync,fdatasync", "-e",
                "inject=fsync,fdatasync:error=EIO",
            ])
        }
        try history.load(
            arena.app, devices: TestApp.devices(20_000), seconds: 4, rate: 3_000, patience: 3, fault: injection)
        try require(
            arena.eventually(within: 10) { !server.isRunning }, "the server goes on, and can't know what the disk holds"
        )
        let code = server.wait()
        try require(code != 0, "the server ended with 0")
        try require(arena.log.contains("the disk did not keep a write"), "the log doesn't say why the server has ended")
        let (statuses, _) = history.failures
        try require(Set(statuses.keys).isSubset(of: [503]), "calls were answered with \(statuses)")
        let again = try arena.start()
        defer { again.stop() }
        try history.check(history.acknowledged, arena.app)
        return "\(history.summary()); ended with \(code) and said why; after a new start none is lost"
    }

    /// REL-10: a copy that is made under load is a complete database, with everything that was acknowledged before it began.
    static func backup(_ arena: Arena) throws -> String {
        let server = try arena.start()
        let history = History()
        let before = Before()
        guard let restored = try Place(arena.place.engine) else { throw Absent("no second place") }
        defer { restored.remove() }
        let copy = History.Fault(after: 1.5) {
            before.players = history.acknowledged
            let file = "\(restored.folder)/copy"
            try run([arena.executable, "backup", file, "--database", arena.place.url])
            try run([arena.executable, "restore", file, "--confirm", "--database", restored.url])
            if arena.place.engine == "sqlite" {
                // An outside reader of the database sees it complete, and does not change the server's log.
                for _ in 0..<5 {
                    let integrity = try run([
                        "sqlite3", "\(arena.place.folder)/gatehouse.db", "PRAGMA integrity_check",
                    ])
                    try require(integrity == "ok\n", "seen by another process: \(integrity)")
                }
            }
        }
        let result = try history.load(arena.app, devices: TestApp.devices(40_000), seconds: 6, fault: copy)
        server.stop()
        try require(result.errors == 0, "\(result.errors) calls failed while the copy was made")
        try FileManager.default.copyItem(atPath: "\(arena.place.folder)/key", toPath: "\(restored.folder)/key")
        do { try Invariants.check(restored) } catch { throw Broken(description: "the copy: \(error)") }
        let other = try ServerProcess(
            arena.executable, folder: restored.folder, port: arena.app.ports[1],
            arguments: TestApp.settings(of: restored))
        defer { other.stop() }
        try history.check(before.players, arena.app, port: arena.app.ports[1])
        return
            "copied under load (\(history.summary())); the copy serves, with the \(before.players.count) acknowledged before"
    }

    private final class Before: @unchecked Sendable {  // Read after the thread that writes has ended.
        var players: [TestApp.Player] = []
    }
}
