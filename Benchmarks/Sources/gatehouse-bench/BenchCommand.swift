import ArgumentParser
import Foundation
import LoadGenerator

@main
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse-bench",
        abstract: "Measure a release build of the server, over HTTP, on this machine.",
        discussion: """
            Starts servers on fresh databases: a SQLite file, and PostgreSQL when GATEHOUSE_TEST_POSTGRES names a server. \
            Prints a table, and writes one JSON object a measurement.
            """)

    @Option(help: "The server's executable.") var server: String
    @Option(help: "Where the measurements are written.") var output = "Benchmarks/results/latest.jsonl"
    @Option(help: "Only these measurements, separated by commas.") var only: String?
    @Option(help: "Seconds of each measurement.") var seconds = 5.0
    @Option(help: "Connections at a time.") var connections = 64
    @Option(help: "Engines, separated by commas.") var engines = "sqlite,postgresql"
    @Flag(help: "Also what needs a million rows and more, growth, history and console: takes some minutes.")
    var growth = false
    @Option(
        help: """
            The members of growth, separated by commas; 10000 is always among them. Or those of the import, up to a million. \
            Default: \(GrowthRun.standard), and \(ImportRun.standard) for the import
            """)
    var members: String?
    @Option(help: "The entries of the ledger in the measurement history.") var history = 10_000_000
    @Option(help: "The instructions that each call may take; more ends with an error.")
    var budget = "Benchmarks/instructions.json"
    @Flag(help: "Make what is counted the budget from now on.") var replaceBudget = false

    func run() throws {
        let names = only?.split(separator: ",").map(String.init)
        let known = Measurement.allCases.map(\.rawValue)
        for name in names ?? [] where !known.contains(name) {
            throw ValidationError("There is no measurement \(name): there are \(known.joined(separator: ", ")).")
        }
        if names == [Measurement.instructions.rawValue] { return try countInstructions() }
        let chosen = Measurement.allCases.filter {
            // Every other figure is a share of the ceiling.
            $0 == .ceiling || names?.contains($0.rawValue) ?? (!$0.takesMinutes || growth && !$0.isNamed)
        }
        let report = try Report(path: output)
        if names == [Measurement.growth.rawValue] { return try grow(report) }
        if names == [Measurement.importMembers.rawValue] { return try importMembers(report) }
        try onEachPlace { place in
            let bench = try Bench(
                executable: URL(fileURLWithPath: server).path, place: place, connections: connections, seconds: seconds,
                report: report, history: history)
            try bench.run(chosen)
        }
        if chosen.contains(.growth) { try grow(report) }
        if chosen.contains(.importMembers) { try importMembers(report) }
    }

    /// Measures on a fresh database of each engine that is there.
    private func onEachPlace(_ measure: (Place) throws -> Void) throws {
        for engine in engines.split(separator: ",").map(String.init) {
            guard let place = try Place(engine) else {
                say("\(engine): not there, left out")
                continue
            }
            defer { place.remove() }
            try measure(place)
        }
    }

    /// Measures with more and more members, and writes the tables beside the other figures.
    private func grow(_ report: Report) throws {
        let sizes = try GrowthRun.sizes(members ?? GrowthRun.standard)
        var tables: [String] = []
        try onEachPlace { place in
            var growth = try GrowthRun(
                executable: URL(fileURLWithPath: server).path, place: place, sizes: sizes, connections: connections,
                seconds: seconds, report: report)
            tables.append(try growth.run())
            say(tables.last ?? "")
        }
        let file = (output as NSString).deletingLastPathComponent + "/growth.md"
        try Data((tables.joined(separator: "\n\n") + "\n").utf8).write(to: URL(fileURLWithPath: file))
    }

    /// Imports members, and says how that compares with what is wanted.
    private func importMembers(_ report: Report) throws {
        let members = try ImportRun.members(members)
        try onEachPlace { place in
            let run = try ImportRun(
                executable: URL(fileURLWithPath: server).path, place: place, members: members, connections: connections,
                report: report)
            say(try run.run())
        }
    }

    /// Counts the instructions of each call, and holds them to the budget.
    private func countInstructions() throws {
        var budget = try InstructionBudget(path: budget)
        var complaints: [String] = []
        try onEachPlace { place in
            let profiles = (output as NSString).deletingLastPathComponent + "/instructions"
            let figures = try Instructions(
                executable: URL(fileURLWithPath: server).path, place: place, profiles: profiles
            ).run()
            if replaceBudget { try budget.replace(figures, on: place.engine) }
            complaints += budget.complaints(about: figures, on: place.engine)
        }
        guard complaints.isEmpty else { throw ServerProcess.Failed(description: complaints.joined(separator: "\n")) }
    }
}

enum Measurement: String, CaseIterable {
    case idle, ceiling
    case guestNew = "guest_new"
    case guestAgain = "guest_again"
    case lastProvider = "last_provider"
    case refresh
    case heartbeat
    case member
    case tokenCheck = "token_check"
    /// The same by Gamebase's Server API.
    case tokenAuthentication = "token_authentication"
    /// A hundred members by Gamebase's Server API.
    case members100 = "members_100"
    case credentialLogin = "credential_login"
    case addMapping = "add_mapping"
    case redeem
    case guestBesideRedeem = "guest_beside_redeem"
    case members200k = "members_200k"
    /// The console's pages with a million members, and what players pay for an operator who never stops clicking, and for operators whose
    /// pages renew themselves. Takes some minutes.
    case console
    /// Bytes of members in the database, and what a login writes.
    case bytes
    /// Memory of ten thousand connections.
    case connections
    case growth
    /// `gatehouse import members` beside a server whose players log in. Asked for by its name.
    case importMembers = "import"
    /// Logins before, with, and while PostgreSQL drops a month of history.
    case history
    /// Instructions of each call, by callgrind. Asked for alone: the server is 50 times slower under it.
    case instructions

    var takesMinutes: Bool { isNamed || [.growth, .history, .console].contains(self) }
    /// Whether it is measured only where its name is given.
    var isNamed: Bool { [.importMembers, .instructions].contains(self) }
}
