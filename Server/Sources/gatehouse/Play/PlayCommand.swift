#if Player
import ArgumentParser
import Foundation
import Gatehouse
import GatehouseWire

struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "A small game in the terminal: a title screen on the SDK.",
        discussion: """
            With --script, runs the steps, separated by commas, prints a line for each, and exits with 1 when one has failed; one \
            that begins with ? may fail. A script that does not begin with \
            `start` is started by itself. A script has a device and a player of its own, which end with it, unless --storage \
            names a device that stays. Without a script, logins come up in the system's browser, and the page's address is \
            printed; in a script a robot goes through the pages of the fake world, and other providers' pages come up as they do \
            without one. With --script -, steps come line by line from standard input and each prints a line of JSON, for \
            `gatehouse conformance`; a provider's page is a line with `open` and its address. Steps:

            \(PlayStep.help)
            """)

    @OptionGroup var client: ClientArguments
    @Option(help: "The steps to run, such as guest,map:google,logout,login:google; - reads them from standard input.")
    var script: String?
    @Flag(help: "With --script: print a line of JSON for each step, with the account as it is then.") var json = false

    func validate() throws {
        guard script != nil || !json else { throw ValidationError("--json goes with --script.") }
    }

    func run() async throws {
        let client = try await client.client()
        guard let script else {
            return try await TitleScreen(player: Player(client: client, browsing: .person)).run()
        }
        guard script != "-" else {
            return try await PlayScript(player: Player(client: client, browsing: .program), asJSON: true).runFromInput()
        }
        let steps = try PlayScript.steps(script)
        func player(_ client: Client) -> Player {
            Player(client: client, others: Set(steps.compactMap(\.identityProvider)))
        }
        guard client.storagePath == nil else {
            return try await PlayScript(player: player(client), asJSON: json).run(steps)
        }
        // An unused device, and a player who is unknown to every identity provider.
        let folder = try TemporaryFolder("play")
        defer { folder.remove() }
        let own = player(client.stored(at: "\(folder.path)/device.json"))
        own.playerName = "player-\(folder.path.suffix(6).lowercased())"
        try await PlayScript(player: own, asJSON: json).run(steps)
    }
}

/// The server, the app, and the storage of this player's device.
struct ClientArguments: ParsableArguments {
    @Option(help: "The server's URL. Default: where a server runs on this folder's database, or http://127.0.0.1:8080")
    var server: String?

    @Option(help: "The app's id. Default: devgame")
    var app: String?

    @Option(help: "The file that stands for the device's storage. Default: ~/.local/share/gatehouse/APP.json")
    var storage: String?

    @Option(help: "The player's language, for messages: a tag such as ko. May be given several times, preferred first.")
    var language: [String] = []

    func client() async throws -> Client {
        let flags = ["server": server, "app": app, "storage": storage]
        let environment = ProcessInfo.processInfo.environment
        let own = try Settings(flags: flags, environment: environment, looksForFile: false)
        // A player need not be able to read the server's settings. A server that runs on this folder's database comes first.
        let ofServer = try? Settings(flags: flags, environment: environment)
        let address = try await ServerAddress.known(to: [own] + [ofServer].compactMap(\.self))
        guard let url = URL(string: address.url) else {
            throw SettingError("\(address.url) is no URL (\(address.source)).")
        }
        let named = own.text("app") ?? ofServer?.text("app")
        return Client(
            url: url, address: address, app: named?.value ?? "devgame", languages: language,
            storagePath: own.text("storage")?.value)
    }
}

/// A game on a machine that simulates any number of devices.
struct Client: Sendable {
    let url: URL
    let address: ServerAddress
    let app: String
    /// Those of the system if there are none.
    let languages: [String]
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
        if !languages.isEmpty { configuration.languages = languages }
        // A busy machine answers later than a player would wait.
        configuration.timeoutSeconds = 60
        return GatehouseClient(configuration)
    }
}
#endif
