import ArgumentParser
import AsyncHTTPClient
import FakeProviders
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev", abstract: "Run a server for development, with an app and fake identity providers.",
        discussion: "Data and keys are kept in .gatehouse/, or beside the file of --database. Not for production.",
        subcommands: [Run.self, DevClockCommand.self], defaultSubcommand: Run.self)
}

extension DevCommand {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Run it, in this terminal until Ctrl-C. `gatehouse dev` alone does the same.")

        @OptionGroup var server: ServerArguments
        @OptionGroup var data: DatabaseArguments
        @Option(help: "The port of the fake identity providers on 127.0.0.1; 0 takes a free one. Default: 0")
        var idpPort: String?

        func run() async throws {
            let settings = try server.settings(data, also: ["idp-port": idpPort], looksForFile: false)
            let logger = try settings.logger(label: "gatehouse", level: .notice)
            let port = try settings.number("idp-port", default: 0, in: 0...65_535)
            let server = try await DevelopmentServer.open(settings, idpPort: port, logger: logger)
            let running = server.running
            let secret = try await server.prepareApp()
            let address = AddressFile(of: running.place)
            defer { address.remove() }
            try await server.serve(configuring: DevelopmentServer.appID) { url in
                let port = URL(string: url)?.port ?? running.configuration.port
                address.write(ServerAddress.ofClients(settings, running.configuration, port: port), logger: logger)
                let console = running.configuration.console?.entry.map { "\(url)/console/enter/\($0)" }
                Terminal.say(
                    Self.greeting(url: url, console: console, secret: secret, idps: server.idps, running.place))
            }
        }

        /// As this command was started, so that the greeting's lines can be typed as they stand.
        private static var program: String { CommandLine.arguments.first ?? "gatehouse" }

        private static func greeting(
            url: String, console: String?, secret: SecretKey, idps: FakeProviders, _ place: DataPlace
        ) -> Terminal.Text {
            """

            Gatehouse is running.

              URL         \(url)
              console     \(console ?? "off")
                          signs you in: open it in Chrome, Edge or Firefox on this machine (Safari
                          keeps the session's cookie only over https)
              app id      \(DevelopmentServer.appID)
              secret key  \(secret.secretValue)
              data        \(place.location)
              master key  \(place.keyDescription)
              providers   \(FakeProviders.names.map(\.rawValue).joined(separator: ", "))
                          fake ones: let them fail, be slow or send reports at \(idps.origin)

            The server keeps this terminal. Try next, in a second one in this folder:

              \(program) play\(Self.server(url, place))
              \(program) play\(Self.server(url, place)) --script guest,map:google,logout,login:google
              \(program) dev clock +8d\(Self.server(url, place))
              \(program) member list\(Self.database(place))

            \(url) says where everything is, the HTTP API's description too. Stop with Ctrl-C.

            """
        }
    }
}

extension DevCommand.Run {
    /// The argument with which another command asks this server, if it does not find it by itself.
    private static func server(_ url: String, _ place: DataPlace) -> Terminal.Text {
        place.source == nil ? "" : " --server \(url)"
    }

    /// The arguments with which another command uses the same database, if it is not the default. A password is not shown.
    private static func database(_ place: DataPlace) -> Terminal.Text {
        guard place.source != nil else { return "" }
        return place.location.filePath == nil
            ? " --database postgres://... (as here)" : " --database \(place.location)"
    }
}

/// A server for development in this process, with a clock that can be moved and with fake identity providers.
struct DevelopmentServer: Sendable {
    /// The app that `gatehouse dev` provides.
    static let appID = AppID("devgame")

    let running: RunningServer
    let clock: DevClock
    let idps: FakeProviders
    private let idpPort: Int
    private let logger: Logger

    /// - Parameter idpPort: the port of the fake identity providers on 127.0.0.1; 0 takes a free one.
    static func open(_ settings: Settings, idpPort: Int, logger: Logger) async throws -> DevelopmentServer {
        let running = try await RunningServer.open(settings, logger: logger, isDevelopment: true)
        let clock = try await DevClock.kept(in: running.database)
        let idps = FakeProviders(
            origin: "http://127.0.0.1:\(idpPort)", key: try FakeSigningKey(),
            nowSeconds: { clock.now.milliseconds / 1_000 })
        return DevelopmentServer(running: running, clock: clock, idps: idps, idpPort: idpPort, logger: logger)
    }

    func administration() async throws -> Administration {
        try await Administration(
            database: running.database, vault: running.vault, environment: .live(reachesLocal: false, clock: clock),
            audit: running.audit)
    }

    /// Returns after a signal has stopped the server, or its task was cancelled.
    ///
    /// - Parameters:
    ///   - app: the app that gets the fake providers at their current address, and every way to move an account.
    ///   - onRunning: receives the server's URL.
    func serve(configuring app: AppID? = nil, onRunning: @escaping @Sendable (_ url: String) async -> Void) async throws
    {
        let (ready, readiness) = AsyncStream.makeStream(of: (any Error)?.self, bufferingPolicy: .bufferingOldest(1))
        let place = Mutex<String?>(nil)
        let providers = FakeProviderServer(providers: idps, logger: logger) { provider in
            place.withLock { $0 }.map { $0 + Endpoints.path(Endpoints.signal, of: provider, app: app ?? Self.appID) }
        }.application(port: idpPort) { _ in
            do {
                if let app { try await Self.configure(FakeProviders.names, idps, in: app, administration()) }
                readiness.yield(nil)
            } catch {
                readiness.yield(error)
            }
        }
        let configuration = running.configuration
        let world = ListeningService(providers, host: "127.0.0.1", port: idpPort, chosenBy: "the setting idp-port")
        try await running.serve(with: [world], clock: clock, fakeWorld: { [idps] in idps.origin }) { [logger] port in
            if let error = await ready.first(where: { _ in true }) ?? nil {
                logger.error("the fake identity providers are not configured", metadata: ["error": "\(error)"])
            }
            let url = ServerAddress.url(host: configuration.host, port: port, isSecure: configuration.tls != nil)
            place.withLock { $0 = url }
            await onRunning(url)
        }
    }
}

// The app. Its secret key is stored beside the database, readable only by the owner, so that it stays the same after a restart. The
// database has only its hash.
extension DevelopmentServer {
    func prepareApp() async throws -> SecretKey {
        let administration = try await administration()
        let path = "\(running.place.prefix).\(Self.appID).secret"
        if try await !administration.run(ListApps()).contains(where: { $0.id == Self.appID }) {
            let secret = try await administration.run(CreateApp(id: Self.appID, name: "Development game")).secret
            try await Self.liftLimits(of: Self.appID, administration)
            try keep(secret, at: path)
            return secret
        }
        if let text = try? String(contentsOfFile: path, encoding: .utf8) {
            let secret = SecretKey(text.trimmingWhitespace())
            if try await administration.run(CheckSecret(secret: secret), in: Self.appID) { return secret }
        }
        let secret = try await administration.run(CreateSecret(), in: Self.appID)
        try keep(secret, at: path)
        return secret
    }

    /// One machine creates all players here, with one address and few devices, so limits would only be a nuisance.
    static func liftLimits(of app: AppID, _ administration: Administration) async throws {
        let noLimits = SetLimits { limits in
            limits.newGuestsPerMinute = 0
            limits.refusedProofsPerMinute = 0
            limits.changesPerMinute = 0
            limits.liveSessions = 0
        }
        try await administration.run(noLimits, in: app)
    }

    /// Configures fake providers at their current address, and enables every way to move an account.
    static func configure(
        _ providers: [Provider], _ idps: FakeProviders, in app: AppID, _ administration: Administration
    ) async throws {
        for provider in providers {
            let change = try SaveIdentityProvider(
                provider: provider, settings: idps.configuration(of: provider), secrets: idps.secrets(of: provider))
            try await administration.run(change, in: app)
        }
        let change = SetTransferPolicy { $0.transfer = $0.transfer ?? TransferPolicy() }
        try await administration.run(change, in: app)
    }

    private func keep(_ secret: SecretKey, at path: String) throws {
        try DataPlace.createFolder(of: path)
        let isKept = FileManager.default.createFile(
            atPath: path, contents: Data("\(secret.secretValue)\n".utf8), attributes: [.posixPermissions: 0o600])
        guard isKept else { throw SettingError("The file \(path) can't be written.") }
    }
}

/// Moves the clock of a running `gatehouse dev`.
struct DevClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Move the clock of a running `gatehouse dev` forward, set it back, or tell its time.",
        discussion: """
            What the time brings is carried out at once: withdrawals, ends of bans, lapsed grace bans. The clock stays where it \
            is over a restart, and the commands that work on the same database have its time. Whoever checks access tokens by \
            the real time refuses those that this server signs ahead of it; `gatehouse dev clock reset` goes back.
            """)

    @Argument(
        help: "How far, such as +8d, +90m, +3600s or +2h; `reset` goes back to the real time; nothing tells the time.")
    var step: String?
    @Option(help: "The server's URL. Default: where `gatehouse dev` runs on the database of this folder")
    var server: String?

    private struct Time: Decodable {
        let serverDate: Int64
        let aheadSeconds: Int64
    }

    func run() async throws {
        let change = try step.map { step in
            step == "reset" ? #"{"reset":true}"# : #"{"advanceSeconds":\#(try Self.seconds(step))}"#
        }
        // `gatehouse dev` looks for no configuration file either.
        let settings = try Settings(
            flags: ["server": server], environment: ProcessInfo.processInfo.environment, looksForFile: false)
        let address = try await ServerAddress.known(to: [settings])
        var request = HTTPClientRequest(url: "\(address.url)/dev/clock")
        if let change {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: change))
        }
        let answer: (status: HTTPResponseStatus, body: Data)
        do {
            answer = try await ServerQuestion.ask(request, seconds: 30)
        } catch {
            throw SettingError(address.unanswered())
        }
        guard answer.status == .ok, let time = try? JSONDecoder().decode(Time.self, from: answer.body) else {
            throw SettingError(
                "The server at \(address.url) has no clock that can be moved: it is not `gatehouse dev`.")
        }
        Terminal.say("\(Words.time(time.serverDate))")
        if time.aheadSeconds > 0 {
            // This goes to standard error, so that a script reads only the time.
            Terminal.complain(
                "This is \(Self.words(time.aheadSeconds)) ahead of the real time: whoever checks access tokens by that refuses those of this server. `gatehouse dev clock reset` goes back."
            )
        }
    }

    static func seconds(_ text: String) throws -> Int64 {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), text.hasPrefix("+"),
            let count = Int64(text.dropFirst().dropLast()), (0...1_000_000).contains(count)
        else { throw ValidationError("\(text) is neither a step such as +8d, +90m or +3600s, nor `reset`.") }
        return count * unit
    }

    private static func words(_ seconds: Int64) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}
