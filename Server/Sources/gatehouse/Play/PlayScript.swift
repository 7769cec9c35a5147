#if Player
import ArgumentParser
import Foundation
import Gatehouse
import GatehouseJSON
import GatehouseWire

/// Steps without a player, for tests and demonstrations.
struct PlayScript {
    let player: Player
    /// Whether a program reads the lines.
    let asJSON: Bool

    /// - Throws: `ValidationError` if the text is not a step.
    static func steps(_ script: String) throws -> [PlayStep] {
        try script.split(separator: ",").map { try PlayStep(String($0)) }
    }

    func run(_ steps: [PlayStep]) async throws {
        var steps = steps
        if steps.first?.name != .start {
            var start = PlayStep(.start)
            start.mayFail = true
            steps.insert(start, at: 0)
        }
        let width = steps.map(\.title.count).max() ?? 0
        var hasFailed = false
        for (index, step) in steps.enumerated() {
            do throws(AuthError) {
                let fields = try await step.run(player)
                if asJSON { report(step, fields) } else { tell(step, fields, width) }
            } catch {
                // The steps after the start would fail in the same way.
                if index == 0, step.name == .start, error.isNetworkError {
                    Terminal.complain("\(player.unanswered(error))")
                    throw ExitCode.failure
                }
                hasFailed = hasFailed || !step.mayFail
                if asJSON { report(step, error) } else { tell(step, error, width) }
            }
        }
        if hasFailed { throw ExitCode.failure }
    }

    /// Runs the steps that a program writes, one a line, until its end.
    func runFromInput() async throws {
        while let line = readLine() {
            guard let step = try? PlayStep(line) else {
                Self.say(["step": .string(line), "ok": false, "error": ["message": "There is no such step."]])
                continue
            }
            do throws(AuthError) {
                report(step, try await step.run(player))
            } catch {
                report(step, error)
            }
        }
    }

    /// A line for people: the step, the player, and the player's identities.
    private func tell(_ step: PlayStep, _ fields: [String: JSONValue], _ width: Int) {
        let user = player.gatehouse.userID?.rawValue ?? "no player"
        let identities = player.gatehouse.mappings.map(\.rawValue).joined(separator: ", ")
        Terminal.say("\(padded(step, width))  \(user)\(identities.isEmpty ? "" : "  ")\(identities)")
        for name in ["id", "password", "transferKey", "accessToken"] {
            if let value = fields[name]?.stringValue { Terminal.say("  \(name)  \(value)") }
        }
        if let date = fields["gracePeriodDate"]?.integerValue { Terminal.say("  gracePeriodDate  \(Words.time(date))") }
        for session in fields["sessions"]?.arrayValue ?? [] {
            let parts = ["sessionId", "provider", "deviceModel"].compactMap { session.objectValue?[$0]?.stringValue }
            Terminal.say("  \(parts.joined(separator: "  "))")
        }
    }

    private func tell(_ step: PlayStep, _ error: AuthError, _ width: Int) {
        Terminal.say("\(padded(step, width))  failed: \(error.code.rawValue) \(error.name): \(error.message)")
        if let ticket = error.forcingMappingTicket {
            let other = ticket.mappedMember
            Terminal.say("  mappedUserId  \(ticket.mappedUserId)")
            Terminal.say("  registrationDate  \(Words.time(other.registrationDate))")
            Terminal.say("  lastLoginDate  \(Words.time(other.lastLoginDate))")
            Terminal.say("  providers  \(other.providers.map(\.rawValue).joined(separator: ", "))")
        }
    }

    private func padded(_ step: PlayStep, _ width: Int) -> String {
        step.title + String(repeating: " ", count: max(0, width - step.title.count))
    }

    private func report(_ step: PlayStep, _ fields: [String: JSONValue]) {
        Self.say(fields.merging(common(step, ok: true)) { $1 })
    }

    private func report(_ step: PlayStep, _ error: AuthError) {
        var failure: [String: JSONValue] = [
            "code": .integer(Int64(error.code.rawValue)), "name": .string(error.name),
            "message": .string(error.message),
        ]
        if let id = error.transactionID { failure["transactionId"] = .string(id.rawValue) }
        if error.details != ErrorDetails() { failure["details"] = try? JSONValue(encoding: error.details) }
        Self.say(common(step, ok: false).merging(["error": .object(failure)]) { $1 })
    }

    private func common(_ step: PlayStep, ok: Bool) -> [String: JSONValue] {
        [
            "step": .string(step.title), "ok": .bool(ok),
            "userId": player.gatehouse.userID.map { .string($0.rawValue) } ?? .null, "account": .object(player.account),
        ]
    }

    /// Writes a line for a program.
    static func say(_ line: [String: JSONValue]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(line) else { return }
        Terminal.say("\(String(decoding: data, as: UTF8.self))")
    }
}
#endif
