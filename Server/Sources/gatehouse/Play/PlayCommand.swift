#if Player
import ArgumentParser
import Foundation
import Gatehouse
import GatehouseWire

struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "A small game in the terminal: a title screen on the SDK.",
        discussion: """
            With --script, runs the steps, separated by commas, prints one JSON line for each with the account as it is then, \
            and exits with 1 when one has failed; one that begins with ? may fail. A script that does not begin with \
            `start` is started by itself. A script has a device and a player of its own, which end with it, unless --storage \
            names a device that stays. Without a script, logins come up in the system's browser, and the page's address is \
            printed; in a script a robot goes through the pages of the fake world, and other providers' pages come up as they do \
            without one. Steps:

            \(PlayStep.help)
            """)

    @OptionGroup var client: ClientArguments
    @Option(help: "The steps to run, such as guest,map:google,logout,login:google.") var script: String?

    func run() async throws {
        let client = try client.client()
        guard let script else {
            return try await TitleScreen(player: Player(client: client, isRobot: false)).run()
        }
        let steps = try PlayScript.steps(script)
        func player(_ client: Client) -> Player {
            Player(client: client, others: Set(steps.compactMap(\.identityProvider)), isRobot: true)
        }
        guard client.storagePath == nil else { return try await PlayScript(player: player(client)).run(steps) }
        let device = try TemporaryDevice()
        defer { device.remove() }
        let own = player(client.stored(at: device.storagePath))
        own.playerName = device.playerName
        try await PlayScript(player: own).run(steps)
    }
}

/// An unused device, and a player who is unknown to every identity provider.
private struct TemporaryDevice {
    let folder: String

    init() throws {
        var template = Array("\(NSTemporaryDirectory())/gatehouse-play-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ValidationError("No temporary folder can be made.") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var storagePath: String { "\(folder)/device.json" }
    var playerName: String { "player-\(folder.suffix(6).lowercased())" }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}

/// The server, the app, and the storage of this player's device.
struct ClientArguments: ParsableArguments {
    @Option(help: "The server's URL. Default: http://127.0.0.1:8080")
    var server: String?

    @Option(help: "The app's id. Default: devgame")
    var app: String?

    @Option(help: "The file that stands for the device's storage. Default: ~/.local/share/gatehouse/APP.json")
    var storage: String?

    func client() throws -> Client {
        let settings = try Settings(
            flags: ["server": server, "app": app, "storage": storage],
            environment: ProcessInfo.processInfo.environment, looksForFile: false)
        let url = try settings.value(
            "server", default: URL(string: "http://127.0.0.1:8080"), expected: "a URL such as http://127.0.0.1:8080"
        ) { text in URL(string: text).flatMap { $0.host == nil ? nil : $0 } }
        guard let url else { throw SettingError("The server's URL is missing.") }
        return Client(
            url: url, app: settings.text("app")?.value ?? "devgame", storagePath: settings.text("storage")?.value)
    }
}

/// A game on a machine that simulates any number of devices.
struct Client: Sendable {
    let url: URL
    let app: String
    private(set) var storagePath: String?

    func stored(at path: String) -> Client {
        var client = self
        client.storagePath = path
        return client
    }

    /// - Parameter device: the name of a further device; nil means the first one.
    func gatehouse(device: String? = nil, adapters: [any AuthAdapter] = []) -> GatehouseClient {
        let storage: FileStorage
        if let storagePath {
            storage = FileStorage(path: device.map { "\(storagePath).\($0)" } ?? storagePath)
        } else {
            storage = .standard(for: device.map { "\(app).\($0)" } ?? app)
        }
        var configuration = GatehouseClient.Configuration(appID: AppID(app), serverURL: url, storage: storage)
        configuration.adapters = adapters
        // A busy machine answers later than a player would wait.
        configuration.timeoutSeconds = 60
        return GatehouseClient(configuration)
    }
}
#endif
