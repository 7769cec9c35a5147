import ArgumentParser
import Foundation
import LoadGenerator

@main
struct ChaosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse-chaos",
        abstract: "Torment a release build of the server, and look whether it has kept its word.",
        discussion: """
            Each scenario starts servers on fresh databases, does harm while players log in, and checks that every \
            acknowledged login is still there, that the invariants of the database hold, and that the server is itself again.
            """)

    @Option(help: "The server's executable.") var server: String
    @Option(help: "Only these scenarios, separated by commas.") var only: String?
    @Option(help: "How often servers are killed, on each engine.") var rounds = 50
    @Flag(help: "Reach Patroni's PostgreSQL by its two addresses instead of HAProxy, and see logins being lost.")
    var withoutProxy = false

    func run() throws {
        let names = only?.split(separator: ",").map(String.init)
        let known = Scenario.allCases.map(\.rawValue)
        for name in names ?? [] where !known.contains(name) {
            throw ValidationError("There is no scenario \(name): there are \(known.joined(separator: ", ")).")
        }
        var failed: [String] = []
        for scenario in Scenario.allCases where names?.contains(scenario.rawValue) ?? true {
            for engine in scenario.engines {
                let title = "\(scenario.rawValue) on \(engine)"
                let start = Date()
                do {
                    let outcome = try run(scenario, engine)
                    say("ok      \(title), \(Int(Date().timeIntervalSince(start))) s: \(outcome)")
                } catch let absent as Absent {
                    say("LEFT OUT  \(title): \(absent)")
                } catch {
                    say("FAILED  \(title): \(error)")
                    failed.append(title)
                }
            }
        }
        guard failed.isEmpty else {
            say("failed: \(failed.joined(separator: ", "))")
            throw ExitCode.failure
        }
        say("all scenarios passed")
    }

    private func run(_ scenario: Scenario, _ engine: String) throws -> String {
        let disk = scenario.needsSmallDisk ? try SmallDisk() : nil
        defer { disk?.remove() }
        let pair = scenario.needsStandby ? try StandbyPair() : nil
        defer { pair?.remove() }
        let cluster = scenario.needsPatroni ? try PatroniCluster(hasProxy: !withoutProxy) : nil
        defer { cluster?.remove() }
        guard let place = try pair?.place ?? cluster?.place ?? Place(engine, folder: disk?.folder) else {
            throw Absent("\(engine) isn't there")
        }
        defer { place.remove() }
        let arena = try Arena(URL(fileURLWithPath: server).path, place)
        do {
            let outcome = try scenario.run(
                in: arena, with: .init(rounds: rounds, disk: disk, pair: pair, cluster: cluster))
            try Invariants.check(place)
            return outcome
        } catch  where !(error is Absent) {
            let log = "\(NSTemporaryDirectory())/gatehouse-chaos-\(scenario.rawValue)-\(engine).log"
            try? Data(arena.log.utf8).write(to: URL(fileURLWithPath: log))
            throw Broken(description: "\(error) (the server's log: \(log))")
        }
    }
}

/// A requirement of a scenario that this machine lacks.
struct Absent: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

enum Scenario: String, CaseIterable {
    case kill
    case databaseOutage = "database-outage"
    case twoNodes = "two-nodes"
    case failover, patroni, rolling
    case overload
    case slowClients = "slow-clients"
    case diskFull = "disk-full"
    case failingSync = "failing-sync"
    case backup

    var engines: [String] {
        switch self {
        case .kill, .overload, .backup: ["sqlite", "postgresql"]
        case .databaseOutage, .twoNodes, .failover, .patroni, .rolling: ["postgresql"]
        case .slowClients, .diskFull, .failingSync: ["sqlite"]
        }
    }

    var needsSmallDisk: Bool { self == .diskFull }

    var needsStandby: Bool { self == .failover }

    var needsPatroni: Bool { self == .patroni }

    /// What only some scenarios need.
    struct Equipment {
        let rounds: Int
        let disk: SmallDisk?
        let pair: StandbyPair?
        let cluster: PatroniCluster?
    }

    func run(in arena: Arena, with equipment: Equipment) throws -> String {
        switch self {
        case .kill: try ProcessFaults.kill(arena, rounds: equipment.rounds)
        case .databaseOutage: try ProcessFaults.databaseOutage(arena)
        case .twoNodes: try ProcessFaults.twoNodes(arena)
        case .failover: try Failover.promotion(arena, equipment.pair)
        case .patroni: try PatroniFailover(arena, equipment.cluster).run()
        case .rolling: try Failover.rolling(arena)
        case .overload: try Pressure.overload(arena)
        case .slowClients: try Pressure.slowClients(arena)
        case .diskFull: try DiskFaults.full(arena, equipment.disk)
        case .failingSync: try DiskFaults.failingSync(arena)
        case .backup: try DiskFaults.backup(arena)
        }
    }
}
