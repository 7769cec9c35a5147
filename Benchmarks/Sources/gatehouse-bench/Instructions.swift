import Foundation
import GatehouseWire
import LoadGenerator

/// How many instructions the server runs for each of the calls that make up its load, counted by callgrind. Other work on the machine
/// hardly touches the figures, so a budget can hold them.
struct Instructions {
    /// Instructions for each call by its name.
    typealias Figures = [String: Int]

    /// As many as make the batches of a busy server.
    private static let connections = 16
    private static let calls = 320
    /// Calls before the counting begins: caches fill, and metadata of Swift's types is made.
    private static let warmUp = 160

    let place: Place
    /// Where the profiles go, for `callgrind_annotate` and for KCachegrind.
    let profiles: String
    private let port: Int
    private let app: TestApp
    private let provider: IdentityProvider
    private let server: ServerProcess

    init(executable: String, place: Place, profiles: String) throws {
        self.place = place
        self.profiles = profiles
        let port = try Self.freePort()
        self.port = port
        app = try TestApp(executable: executable, place: place, ports: [port])
        provider = try IdentityProvider()
        try app.configure(provider, executable: executable, place: place)
        try FileManager.default.createDirectory(atPath: profiles, withIntermediateDirectories: true)
        // Valgrind can't read the compiler's debug information, and needs only the names of the functions.
        let copy = "\(place.folder)/gatehouse"
        try LoadGenerator.run(["strip", "-g", executable, "-o", copy])
        let library = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("libValgrindMainThread.so").path
        server = try ServerProcess(
            copy, folder: place.folder, port: port, arguments: app.settings(of: place),
            under: [
                "LD_PRELOAD=\(library)", "SWIFT_DETERMINISTIC_HASHING=1", "valgrind", "--tool=callgrind",
                "--fair-sched=yes", "--callgrind-out-file=\(place.folder)/profile",
                "--log-file=\(place.folder)/valgrind.log",
            ])
    }

    /// A port below those that the system gives to outgoing connections, so that none of them takes it before the server starts. Each has
    /// five digits, so that requests are equally long in every run.
    private static func freePort() throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 20_000..<32_000)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let isFree = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isFree { return port }
        }
        throw ServerProcess.Failed(description: "there is no free port")
    }

    /// Counts every call, and says each figure as it is there.
    func run() throws -> Figures {
        defer {
            server.stop()
            provider.stop()
        }
        let all = Self.warmUp + Self.calls
        var figures: Figures = [:]
        func count(_ measurement: Measurement, _ requests: (Int) throws -> RequestList) throws {
            let warm = try requests(Self.warmUp)
            try answer(warm)
            let counted = try requests(Self.calls)
            try LoadGenerator.run(["callgrind_control", "--zero", "\(server.id)"])
            try answer(counted)
            let name = measurement.rawValue
            let profile = try takeProfile(name)
            let each = profile.total / counted.count
            figures[name] = each
            let parts = InstructionParts(
                profile, calls: counted.count, http: figures[Measurement.ceiling.rawValue] ?? each)
            say("\(name)  \(place.engine)  \(each) instructions: \(parts)")
        }
        try count(.ceiling) { count in
            var requests = RequestList()
            for _ in 0..<count { requests.add(HTTPRequest("GET", "/health/live").bytes) }
            return requests
        }
        try count(.guestNew) { app.logins(TestApp.devices($0)) }
        let players = try app.loggedIn(all)
        try count(.lastProvider) { app.calls(Endpoints.logInWithLastProvider, of: players, count: $0) }
        try count(.refresh) { app.calls(Endpoints.refreshSession, of: players, count: $0) }
        try count(.tokenCheck) { app.tokenChecks(of: Array(players.prefix($0))) }
        try count(.tokenAuthentication) { app.tokenAuthentications(of: Array(players.prefix($0))) }
        try count(.members100) { _ in app.memberLists(of: players) }
        let identities = provider.credentials((0..<all).map { "player-\($0)" })
        let devices = TestApp.devices(all)
        try answer(app.logins(devices, bodies: identities))
        try count(.credentialLogin) { app.logins(Array(devices.prefix($0)), bodies: Array(identities.prefix($0))) }
        var mapped = 0
        try count(.addMapping) { count in
            defer { mapped += count }
            return app.calls(
                Endpoints.addMapping, of: Array(players[mapped..<(mapped + count)]),
                bodies: provider.credentials((mapped..<(mapped + count)).map { "mapped-\($0)" }))
        }
        return figures
    }

    private func answer(_ requests: RequestList) throws {
        try Load(port: port, connections: Self.connections, seconds: 300).complete(requests)
    }

    /// Writes down what was counted since the last time.
    private func takeProfile(_ name: String) throws -> CallgrindProfile {
        try LoadGenerator.run(["callgrind_control", "--dump=\(name)", "\(server.id)"])
        let files = try FileManager.default.contentsOfDirectory(atPath: place.folder)
        guard
            let file = files.filter({ $0.hasPrefix("profile.") }).max(by: {
                $0.localizedStandardCompare($1) == .orderedAscending
            })
        else { throw ServerProcess.Failed(description: "callgrind has written no profile into \(place.folder)") }
        let kept = URL(fileURLWithPath: "\(profiles)/\(place.engine)-\(name).callgrind")
        try? FileManager.default.removeItem(at: kept)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: "\(place.folder)/\(file)"), to: kept)
        return try CallgrindProfile(contentsOf: kept)
    }
}
