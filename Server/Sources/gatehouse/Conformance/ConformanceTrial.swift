import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseWire

/// Why a client does not pass a scenario.
struct Verdict: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// What a client must do in one situation.
struct Scenario: Sendable {
    let name: String
    /// The behavior that passes, as a sentence.
    let summary: String
    let run: @Sendable (Trial) async throws -> Void

    init(_ name: String, _ summary: String, _ run: @escaping @Sendable (Trial) async throws -> Void) {
        (self.name, self.summary, self.run) = (name, summary, run)
    }
}

/// One run of a scenario: its app, its devices, and what the operator does meanwhile.
final class Trial {
    let app: AppID
    private let server: ConformanceServer
    private let secret: SecretKey
    private let command: [String]
    private let folder: String
    private let patience: Int
    private var devices: [ConformanceDevice] = []

    private init(
        _ server: ConformanceServer, _ app: AppID, _ secret: SecretKey, _ command: [String], in folder: String,
        patience: Int
    ) {
        (self.server, self.app, self.secret, self.command) = (server, app, secret, command)
        (self.folder, self.patience) = (folder, patience)
    }

    /// Judges a client by a scenario.
    ///
    /// - Returns: what was wrong; nil if the client passes.
    static func judge(
        _ scenario: Scenario, _ server: ConformanceServer, _ command: [String], in folder: String, patience: Int
    ) async throws -> String? {
        let app = AppID(scenario.name)
        try await server.resetClock()
        let secret = try await server.createApp(app)
        server.relay.reset()
        let trial = Trial(server, app, secret, command, in: "\(folder)/\(scenario.name)", patience: patience)
        try FileManager.default.createDirectory(atPath: trial.folder, withIntermediateDirectories: true)
        var verdict: String?
        do {
            try await scenario.run(trial)
        } catch let wrong as Verdict {
            verdict = wrong.description
        }
        for device in trial.devices { await device.end() }
        return verdict ?? WireRules.broken(server.relay.calls, output: trial.devices.flatMap(\.output))
    }

    // MARK: Devices

    /// A device whose game has started.
    func device(player: String = "alice", starts: Bool = true) async throws -> ConformanceDevice {
        let device = ConformanceDevice(
            command: command, environment: ["GATEHOUSE_SERVER": server.relay.url, "GATEHOUSE_APP": app.rawValue],
            storage: "\(folder)/device-\(devices.count)", player: player, patience: patience)
        devices.append(device)
        if starts { try await pass("start", on: device) }
        return device
    }

    /// A device whose player has logged in, and the player's user id.
    func player(_ step: String = "guest", named player: String = "alice") async throws -> (ConformanceDevice, String) {
        let device = try await device(player: player)
        return (device, try await user(step, on: device))
    }

    /// Ends the game and starts it again.
    func restart(_ device: ConformanceDevice) async throws {
        await device.end()
        try await pass("start", on: device)
    }

    /// A step that must succeed.
    @discardableResult
    func pass(_ step: String, on device: ConformanceDevice) async throws -> [String: JSONValue] {
        let answer = try await device.step(step)
        let code = answer.code.map { " (\($0))" } ?? ""
        try require(answer.succeeded, "`\(step)` failed\(code), and had to succeed")
        return answer.line
    }

    /// A step that must succeed and leave a player logged in.
    @discardableResult
    func user(_ step: String, on device: ConformanceDevice) async throws -> String {
        let line = try await pass(step, on: device)
        guard let user = line["userId"]?.stringValue else { throw Verdict("`\(step)` has no `userId` in its line") }
        return user
    }

    /// A step that must succeed with a player.
    func pass(_ step: String, as user: String, on device: ConformanceDevice) async throws {
        let found = try await self.user(step, on: device)
        try require(found == user, "`\(step)` has the user \(found) and not \(user)")
    }

    /// A step that must fail.
    ///
    /// - Parameter codes: the codes with which it may; any, if there are none.
    func refuse(_ step: String, with codes: Int64..., on device: ConformanceDevice) async throws {
        let answer = try await device.step(step)
        try require(!answer.succeeded, "`\(step)` succeeded, and had to fail")
        guard !codes.isEmpty else { return }
        let list = codes.map(String.init).joined(separator: " or ")
        let code = answer.code.map(String.init) ?? "no code"
        try require(answer.code.map(codes.contains) ?? false, "`\(step)` failed with \(code), and not with \(list)")
    }

    func require(_ condition: Bool, _ wrong: @autoclosure () -> String) throws {
        if !condition { throw Verdict(wrong()) }
    }

    // MARK: The wire

    /// Disturbs the next calls of a name; nil for every call.
    func disturb(_ name: String?, times: Int = 1, _ disturbance: ConformanceRelay.Disturbance) {
        server.relay.disturb(name, times: times, disturbance)
    }

    /// Lets calls pass again.
    func calm() { server.relay.calm() }

    /// The calls of a name so far.
    func calls(_ name: String) -> [ConformanceRelay.Call] { server.relay.calls.filter { $0.name == name } }

    /// A call that was made once, or again with the same idempotency key until it was answered.
    func requireOneOutcome(of name: String) throws {
        let calls = calls(name)
        let keys = Set(calls.map { $0[HeaderNames.idempotencyKey] ?? "" })
        try require(calls.count > 1, "`\(name)` was lost, and the client has not repeated it")
        try require(keys.count == 1, "`\(name)` was repeated with another idempotency key, so it takes effect twice")
    }

    // MARK: The operator, and time

    func ban(_ user: String, forSeconds seconds: Int64? = nil) async throws {
        let end = seconds.map { server.administration.now.adding(seconds: $0) }
        try await server.administration.run(BanMembers([UserID(user)], until: end), in: app, reason: "conformance")
    }

    func kickOut(_ user: String) async throws {
        try await server.administration.run(
            KickOutMember(on: .member(UserID(user))), in: app, reason: "conformance")
    }

    /// Closes the game for an hour, and returns once the server refuses players.
    func closeGame() async throws {
        try await server.administration.run(
            PlanMaintenance(
                begin: nil, end: server.administration.now.adding(seconds: 3_600), message: ["en": "Back soon."],
                url: nil), in: app)
        // A server keeps what it knows of an app for a second.
        for _ in 0..<600 where try await server.isPlayable(app) { try await ServerEnvironment.live.pause(100_000_000) }
    }

    /// Moves the server's clock forward, and not the device's.
    func advance(seconds: Int64) async throws { try await server.advance(seconds: seconds) }

    /// Puts the server's clock back to that of this machine.
    func resetClock() async throws { try await server.resetClock() }

    /// Waits by the real time, by which clients wait, too.
    func pause(seconds: Int) async throws { try await ServerEnvironment.live.pause(UInt64(seconds) * 1_000_000_000) }

    /// The user of an access token, as the game's server learns it.
    func user(ofToken token: String) async throws -> String? {
        try await server.user(of: token, app, secret: secret)
    }
}

/// What holds for every call of a client, in each scenario.
enum WireRules {
    /// The first rule that a client has broken; nil if it has broken none.
    static func broken(_ calls: [ConformanceRelay.Call], output: [String]) -> String? {
        var proofs = Set<String>()
        var bodies: [String: [UInt8]] = [:]
        for call in calls where call.endpoint.access != .open {
            guard let proof = call[HeaderNames.proof] else { return "`\(call.name)` has no proof" }
            guard proofs.insert(proof).inserted else {
                return "`\(call.name)` has a proof that was sent before: sign each attempt"
            }
            if call.endpoint.access != .deviceKey, call.token == nil { return "`\(call.name)` has no token" }
            let reason = call.answer?.objectValue?["error"]?.objectValue?["details"]?.objectValue?["reason"]?
                .stringValue
            if let reason, let wrong = proofFaults[reason] { return "`\(call.name)` was refused: \(wrong)" }
            if call.endpoint.changes {
                guard let key = call[HeaderNames.idempotencyKey] else { return "`\(call.name)` has no idempotency key" }
                guard bodies.updateValue(call.body, forKey: key).map({ $0 == call.body }) ?? true else {
                    return "`\(call.name)` uses an idempotency key for another body"
                }
            }
        }
        for token in Set(calls.compactMap(\.token)) {
            if calls.contains(where: { $0.target.contains(token) }) { return "a token is in an address" }
            if output.contains(where: { $0.contains(token) && !$0.contains(#""accessToken""#) }) {
                return "the client has written a token to its output"
            }
        }
        return nil
    }

    private static let proofFaults = [
        ErrorReason.proofMissing.rawValue: "it has no proof",
        ErrorReason.proofMalformed.rawValue: "its proof is malformed",
        ErrorReason.proofMismatch.rawValue: "its proof is for another method, address or token",
        ErrorReason.keyMismatch.rawValue: "its proof has another key than the token",
        ErrorReason.tokenMissing.rawValue: "it has no token",
        ErrorReason.tokenMalformed.rawValue: "its token is malformed",
    ]
}
