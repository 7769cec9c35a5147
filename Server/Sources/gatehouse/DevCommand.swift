import ArgumentParser
import Foundation
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import Logging

struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev", abstract: "Run everything on this machine, with a ready app.",
        discussion: "Data and keys are kept in .gatehouse/, or beside the file of --database. Not for production.")

    @OptionGroup var server: ServerArguments
    @OptionGroup var data: DatabaseArguments

    func run() async throws {
        let settings = try server.settings(data)
        let logger = try settings.logger(label: "gatehouse", level: .notice)
        let running = try await RunningServer.open(settings, logger: logger)
        let secret = try await DevelopmentApp(running: running, logger: logger).prepare()
        let scheme = running.configuration.tls == nil ? "http" : "https"
        try await running.serve { port in
            Terminal.say(
                Self.greeting(url: "\(scheme)://\(running.configuration.host):\(port)", secret: secret, running.place))
        }
    }

    private static func greeting(url: String, secret: SecretKey, _ place: DataPlace) -> String {
        """

        Gatehouse is running.

          URL         \(url)
          app id      \(DevelopmentApp.id)
          secret key  \(secret.secretValue)
          data        \(place.location)

        Try next, in another terminal:

          Server/.build/debug/gatehouse play --server \(url)
          Server/.build/debug/gatehouse request GET /v1/apps/\(DevelopmentApp.id)/launching --server \(url)

        The HTTP API is described at \(url)/openapi.yaml. Stop with Ctrl-C.

        """
    }
}

/// The app that `gatehouse dev` has ready. Its secret key is kept beside the database, for its owner only, so that it stays
/// the same over restarts; the database knows only its hash.
struct DevelopmentApp {
    static let id = AppID("devgame")

    let running: RunningServer
    let logger: Logger

    func prepare() async throws -> SecretKey {
        let administration = try await Administration(
            database: running.database, vault: running.vault, environment: .live, audit: .logging(to: logger))
        let path = "\(running.place.prefix).\(Self.id).secret"
        if try await !administration.hasApp(Self.id) {
            let secret = try await administration.createApp(Self.id, name: "Development game")
            // One machine makes all the players here: a limit per address would only be in the way.
            _ = try await administration.setLimits(newGuests: 0, refusedProofs: 0, of: Self.id)
            try keep(secret, at: path)
            return secret
        }
        if let text = try? String(contentsOfFile: path, encoding: .utf8) {
            let secret = SecretKey(text.trimmingCharacters(in: .whitespacesAndNewlines))
            if try await administration.isValid(secret, of: Self.id) { return secret }
        }
        let secret = try await administration.rotateSecret(of: Self.id)
        try keep(secret, at: path)
        return secret
    }

    private func keep(_ secret: SecretKey, at path: String) throws {
        let isKept = FileManager.default.createFile(
            atPath: path, contents: Data("\(secret.secretValue)\n".utf8), attributes: [.posixPermissions: 0o600])
        guard isKept else { throw SettingError("The file \(path) can't be written.") }
    }
}
