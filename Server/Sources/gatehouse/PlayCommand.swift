#if Player
import ArgumentParser
import Foundation
import Gatehouse
import GatehouseWire

struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "A small game in the terminal: a title screen on the SDK.",
        discussion: """
            With --script, runs the steps, separated by commas, prints one JSON line for each, and exits with 1 when one has \
            failed. Steps: \(PlayStep.allCases.map(\.rawValue).joined(separator: ", ")). A script that does not begin with \
            `start` is started by itself.
            """)

    @OptionGroup var client: ClientArguments
    @Option(help: "The steps to run, such as guest,me,logout.") var script: String?

    func run() async throws {
        let gatehouse = try client.gatehouse()
        if let script {
            try await PlayScript(gatehouse: gatehouse).run(script)
        } else {
            try await TitleScreen(gatehouse: gatehouse).run()
        }
    }
}

/// Which server, which app, and where this player's device keeps its key.
struct ClientArguments: ParsableArguments {
    @Option(help: "The server's URL. Default: http://127.0.0.1:8080")
    var server: String?

    @Option(help: "The app's id. Default: devgame")
    var app: String?

    @Option(help: "The file that stands for the device's storage. Default: ~/.local/share/gatehouse/APP.json")
    var storage: String?

    func gatehouse() throws -> Gatehouse {
        let settings = try Settings(
            flags: ["server": server, "app": app, "storage": storage], names: ["server", "app", "storage"],
            environment: ProcessInfo.processInfo.environment)
        let url = try settings.value(
            "server", default: URL(string: "http://127.0.0.1:8080"), expected: "a URL such as http://127.0.0.1:8080"
        ) { text in URL(string: text).flatMap { $0.host == nil ? nil : $0 } }
        guard let url else { throw SettingError("The server's URL is missing.") }
        let app = settings.text("app")?.value ?? "devgame"
        let storage = settings.text("storage").map { FileStorage(path: $0.value) } ?? .standard(for: app)
        return Gatehouse(Configuration(appID: AppID(app), serverURL: url, storage: storage))
    }
}

/// A step of the game client: a call of the SDK.
enum PlayStep: String, CaseIterable {
    case start, guest, last, me, heartbeat, logout

    func run(_ gatehouse: Gatehouse) async throws(AuthError) -> [String: JSONValue] {
        switch self {
        case .start:
            let launching = try await gatehouse.start()
            return ["status": .integer(Int64(launching.status.rawValue)), "isPlayable": .bool(launching.isPlayable)]
        case .guest: return Self.fields(try await gatehouse.logIn(with: .guest))
        case .last: return Self.fields(try await gatehouse.logInWithLastProvider())
        case .me: return Self.fields(try await gatehouse.fetchMember())
        case .heartbeat:
            let heartbeat = try await gatehouse.sendHeartbeat()
            return [
                "isPlayable": .bool(heartbeat.standing.isPlayable),
                "nextHeartbeatSeconds": .integer(Int64(heartbeat.nextHeartbeatSeconds)),
            ]
        case .logout:
            try await gatehouse.logOut()
            return [:]
        }
    }

    private static func fields(_ login: Login) -> [String: JSONValue] {
        fields(login.member).merging(["provider": .string(login.provider.rawValue)]) { _, new in new }
    }

    private static func fields(_ member: Member) -> [String: JSONValue] {
        [
            "memberStatus": .string(member.status.rawValue),
            "mappings": .array(member.mappings.map { .string($0.provider.rawValue) }),
            "registrationDate": .integer(member.registrationDate), "lastLoginDate": .integer(member.lastLoginDate),
        ]
    }
}

/// Steps without a player: for tests and for looking.
struct PlayScript {
    let gatehouse: Gatehouse

    func run(_ script: String) async throws {
        let names = script.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        var steps: [PlayStep] = []
        for name in names {
            guard let step = PlayStep(rawValue: name) else {
                throw ValidationError(
                    "There is no step \(name): there are \(PlayStep.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            steps.append(step)
        }
        if steps.first != .start {
            do throws(AuthError) { _ = try await PlayStep.start.run(gatehouse) } catch { report(.start, error) }
        }
        var hasFailed = false
        for step in steps {
            do throws(AuthError) {
                report(step, try await step.run(gatehouse))
            } catch {
                hasFailed = true
                report(step, error)
            }
        }
        if hasFailed { throw ExitCode.failure }
    }

    private func report(_ step: PlayStep, _ fields: [String: JSONValue]) {
        var line = fields
        line["step"] = .string(step.rawValue)
        line["ok"] = true
        line["userId"] = gatehouse.userID.map { .string($0.rawValue) } ?? .null
        say(line)
    }

    private func report(_ step: PlayStep, _ error: AuthError) {
        var failure: [String: JSONValue] = [
            "code": .integer(Int64(error.code.rawValue)), "name": .string(error.name),
            "message": .string(error.message),
        ]
        if !error.details.isEmpty { failure["details"] = .object(error.details) }
        say([
            "step": .string(step.rawValue), "ok": false,
            "userId": gatehouse.userID.map { .string($0.rawValue) } ?? .null, "error": .object(failure),
        ])
    }

    private func say(_ line: [String: JSONValue]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(line) else { return }
        Terminal.say(String(decoding: data, as: UTF8.self))
    }
}
#endif
