import ArgumentParser
import GatehousePlatform
import GatehouseWire

struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance", abstract: "Judge a client of your own by what it does.",
        discussion: """
            Runs your client on new devices through each scenario, on a server of its own that loses answers, moves the clock, \
            bans, and so on. COMMAND reads one step a line from its standard input, such as `guest` or `map:google`: the steps \
            of `gatehouse play`, except device and player. For each it prints a line of JSON with `ok`; `userId`, the player who is then logged in; and, if it failed, \
            `error` with `code`. At a provider's page it prints {"open":"ADDRESS"}, and if the browser returns to a URL scheme, it \
            reads `return:ADDRESS`. It ends with its standard input. It finds the server in GATEHOUSE_SERVER, the app in \
            GATEHOUSE_APP, and keeps what a device keeps in the file or folder GATEHOUSE_STORAGE.

            The first client that passes is the SDK: gatehouse conformance -- gatehouse play --script -
            """)

    @Option(help: "Only these scenarios, or all whose names begin so, separated by commas.") var only: String?
    @Option(help: "How many seconds a step may take. Default: 60") var patience: Int = 60
    @Flag(help: "List the scenarios, and run none.") var list = false
    @Flag(help: "Print a line of JSON for each scenario.") var json = false
    @Argument(parsing: .postTerminator, help: "The client and its arguments, after --.") var command: [String] = []

    private struct Result: Encodable {
        let scenario: String
        let summary: String
        var passed: Bool?
        var problem: String?
    }

    func validate() throws {
        guard (1...3_600).contains(patience) else { throw ValidationError("--patience is 1 to 3600 seconds.") }
        guard list || !command.isEmpty else { throw ValidationError("Name the client after --.") }
        if scenarios.isEmpty { throw ValidationError("There is no such scenario: see --list.") }
    }

    private var scenarios: [Scenario] {
        guard let names = only?.split(separator: ",") else { return Scenario.all }
        return Scenario.all.filter { scenario in names.contains { scenario.name.utf8.starts(with: $0.utf8) } }
    }

    func run() async throws {
        guard !list else {
            for scenario in scenarios { try show(scenario, nil, nil) }
            return
        }
        let folder = try TemporaryFolder("conformance")
        defer { folder.remove() }
        let passed = Passed()
        try await ConformanceServer.run(in: folder.path) { [self] server in
            for scenario in scenarios {
                let problem = try await Trial.judge(
                    scenario, server, command, in: folder.path, patience: patience)
                if problem == nil { await passed.count() }
                try show(scenario, problem == nil, problem)
            }
        }
        let number = await passed.number
        if !json { Terminal.say("\(number) of \(scenarios.count) passed.") }
        // Ctrl-C leaves some out.
        guard number == scenarios.count else { throw ExitCode.failure }
    }

    private actor Passed {
        private(set) var number = 0

        func count() { number += 1 }
    }

    private func show(_ scenario: Scenario, _ passed: Bool?, _ problem: String?) throws {
        guard !json else {
            let result = Result(scenario: scenario.name, summary: scenario.summary, passed: passed, problem: problem)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Terminal.say("\(String(decoding: try encoder.encode(result), as: UTF8.self))")
        }
        let name = scenario.name + String(repeating: " ", count: max(0, 28 - scenario.name.utf8.count))
        switch passed {
        case nil: Terminal.say("\(name)\(scenario.summary)")
        case true: Terminal.say("passed  \(name)\(scenario.summary)")
        default: Terminal.say("FAILED  \(name)\(scenario.summary)\n        \(problem ?? "")")
        }
    }
}
