import Foundation
import GatehouseWire
import LoadGenerator

/// The writes that the server has acknowledged, for checking them after a fault.
final class History: @unchecked Sendable {  // Everything is touched only with the lock held.
    private let lock = NSLock()
    private var players: [TestApp.Player] = []
    private var moments: [Date] = []
    private var statuses: [Int: Int] = [:]
    private var lost = 0

    var acknowledged: [TestApp.Player] { lock.withLock { players } }

    /// The longest time between two acknowledgements in a row, of those after a moment.
    func longestPause(since start: Date) -> TimeInterval {
        let later = lock.withLock { moments.filter { $0 > start } }
        return zip(later, later.dropFirst()).map { $1.timeIntervalSince($0) }.max() ?? .infinity
    }

    /// How many were acknowledged after a moment.
    func acknowledged(since moment: Date) -> Int { lock.withLock { moments.count { $0 > moment } } }

    func summary() -> String {
        lock.withLock {
            let refused = statuses.filter { $0.key != 200 }.sorted { $0.key < $1.key }.map { "\($0.value) x \($0.key)" }
            return (["\(players.count) acknowledged"] + refused + (lost > 0 ? ["\(lost) without an answer"] : []))
                .joined(separator: ", ")
        }
    }

    /// The statuses other than 200, and how often no answer came.
    var failures: (statuses: [Int: Int], lost: Int) { lock.withLock { (statuses.filter { $0.key != 200 }, lost) } }

    /// Logs new devices in for some seconds, and keeps what was acknowledged.
    ///
    /// - Parameter fault: what happens meanwhile.
    @discardableResult
    func load(
        _ app: TestApp, devices: [Device], port: Int? = nil, connections: Int = 64, seconds: Double,
        rate: Double? = nil, patience: Double = 30, fault: Fault? = nil
    ) throws -> Load.Result {
        var load = Load(port: port ?? app.ports[0], connections: connections, seconds: seconds, rate: rate)
        load.patience = patience
        load.onOutcome = { index, answer in
            let player = TestApp.Player(devices[index], answer)
            self.lock.withLock {
                if let player {
                    self.players.append(player)
                    self.moments.append(Date())
                }
                if let answer { self.statuses[answer.status, default: 0] += 1 } else { self.lost += 1 }
            }
        }
        let requests = app.logins(devices, port: port)
        let meanwhile = fault.map { Meanwhile(after: $0.seconds, $0.body) }
        let result = load.run(requests)
        try meanwhile?.finish()
        return result
    }

    /// A fault to cause while a load runs, some seconds after the beginning.
    struct Fault {
        let seconds: Double
        let body: @Sendable () throws -> Void

        init(after seconds: Double, _ body: @escaping @Sendable () throws -> Void) {
            self.seconds = seconds
            self.body = body
        }
    }

    /// Whether every one of these players is still who they were (I1), by their session and by their device.
    func check(_ players: some Collection<TestApp.Player>, _ app: TestApp, port: Int? = nil) throws {
        let players = Array(players)
        try check(players, "session", port ?? app.ports[0]) {
            app.calls(Endpoints.logInWithLastProvider, of: $0, port: port)
        }
        try check(players, "guest login", port ?? app.ports[0]) { app.logins($0.map(\.device), port: port) }
    }

    private func check(
        _ players: [TestApp.Player], _ what: String, _ port: Int, _ requests: ([TestApp.Player]) -> RequestList
    ) throws {
        var wrong: [String] = []
        // A proof is valid for a minute, in which a slow machine makes fewer calls than there may be players.
        for start in stride(from: 0, to: players.count, by: 5_000) {
            let part = Array(players[start..<min(players.count, start + 5_000)])
            var load = Load(port: port, connections: 16, seconds: 120)
            load.onOutcome = { index, answer in
                let login = answer.flatMap { try? JSONDecoder().decode(Login.self, from: Data($0.body)) }
                if login?.member.userId != part[index].user {
                    let said = answer.map { String(decoding: $0.body, as: UTF8.self) } ?? "no answer"
                    wrong.append("\(part[index].user): \(said)")
                }
            }
            _ = load.run(requests(part))
        }
        try require(
            wrong.isEmpty,
            "\(wrong.count) of \(players.count) acknowledged players are lost by their \(what), the first: \(wrong.first ?? "")"
        )
    }
}

struct Broken: Error, CustomStringConvertible {
    let description: String
}

func require(_ condition: Bool, _ complaint: @autoclosure () -> String) throws {
    if !condition { throw Broken(description: complaint()) }
}

/// The invariants of every database, at every time (see the end of the security requirements).
enum Invariants {
    private static let statements = [
        (
            "I2: an identity has one live member",
            """
            SELECT COUNT(*) FROM (SELECT 1 AS one FROM identities GROUP BY app_id, idp, namespace, subject
            HAVING COUNT(*) > 1) AS many;
            """
        ),
        (
            "I3: a member has one mapping of a provider",
            """
            SELECT COUNT(*) FROM (SELECT 1 AS one FROM identities GROUP BY app_id, user_id, idp HAVING COUNT(*) > 1) AS many;
            """
        ),
        (
            "an identity leads to a member",
            """
            SELECT COUNT(*) FROM identities i WHERE NOT EXISTS (
                SELECT 1 FROM members m WHERE m.app_id = i.app_id AND m.user_id = i.user_id);
            """
        ),
        (
            "a member has an identity",
            """
            SELECT COUNT(*) FROM members m WHERE NOT EXISTS (
                SELECT 1 FROM identities i WHERE i.app_id = m.app_id AND i.user_id = m.user_id);
            """
        ),
        (
            "a session belongs to a member",
            """
            SELECT COUNT(*) FROM sessions s WHERE NOT EXISTS (
                SELECT 1 FROM members m WHERE m.app_id = s.app_id AND m.user_id = s.user_id);
            """
        ),
    ]

    static func check(_ place: Place) throws {
        for (name, statement) in statements {
            let count = try place.execute(statement).trimmingCharacters(in: .whitespacesAndNewlines)
            try require(count == "0", "\(name): broken \(count) times")
        }
        guard place.engine == "sqlite" else { return }
        let integrity = try place.execute("PRAGMA integrity_check; PRAGMA foreign_key_check;")
        try require(integrity == "ok\n", "integrity_check: \(integrity)")
    }
}
