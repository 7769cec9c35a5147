#if Player
import ArgumentParser
import Foundation
import Gatehouse
import GatehouseJSON
import GatehouseWire

/// Steps without a player, for tests and demonstrations.
struct PlayScript {
    let player: Player

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
        var hasFailed = false
        for (index, step) in steps.enumerated() {
            do throws(AuthError) {
                report(step, try await step.run(player))
            } catch {
                // The steps after the start would fail in the same way.
                if index == 0, step.name == .start, error.isNetworkError {
                    let server = player.gatehouse.configuration.serverURL.absoluteString
                    Terminal.complain("No Gatehouse server answers at \(server): \(error.message)")
                    throw ExitCode.failure
                }
                hasFailed = hasFailed || !step.mayFail
                report(step, error)
            }
        }
        if hasFailed { throw ExitCode.failure }
    }

    private func report(_ step: PlayStep, _ fields: [String: JSONValue]) {
        say(fields.merging(common(step, ok: true)) { $1 })
    }

    private func report(_ step: PlayStep, _ error: AuthError) {
        var failure: [String: JSONValue] = [
            "code": .integer(Int64(error.code.rawValue)), "name": .string(error.name),
            "message": .string(error.message),
        ]
        if let id = error.transactionID { failure["transactionId"] = .string(id.rawValue) }
        if error.details != ErrorDetails() { failure["details"] = try? JSONValue(encoding: error.details) }
        say(common(step, ok: false).merging(["error": .object(failure)]) { $1 })
    }

    private func common(_ step: PlayStep, ok: Bool) -> [String: JSONValue] {
        [
            "step": .string(([step.name.rawValue] + step.arguments).joined(separator: ":")), "ok": .bool(ok),
            "userId": player.gatehouse.userID.map { .string($0.rawValue) } ?? .null, "account": .object(player.account),
        ]
    }

    private func say(_ line: [String: JSONValue]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(line) else { return }
        Terminal.say("\(String(decoding: data, as: UTF8.self))")
    }
}
#endif
