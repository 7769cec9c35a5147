import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseServer
import GatehouseWire

/// A file with what has happened since a copy was made: a log, or what `gatehouse erasures` and `gatehouse audit` have printed.
struct ReplayedFile {
    private var erasures: [Erasure] = []
    private var changes: [AccessChange] = []
    /// The numbers of lines that can't be read, and may matter.
    private var broken: [Int] = []

    /// - Parameter path: `-` is standard input.
    init(_ path: String) throws {
        let bytes = try OpenFile.reading(path).readToEnd()
        for (index, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let line = String(decoding: line, as: UTF8.self)
            do throws(Erasure.Unreadable) {
                erasures.append(try Erasure(line: line))
                continue
            } catch {
                if error == .broken { broken.append(index + 1) }
            }
            do throws(Erasure.Unreadable) {
                changes.append(try AccessChange(line: line))
            } catch {
                if error == .broken { broken.append(index + 1) }
            }
        }
    }

    /// Carries out again what the database does not know.
    func replay(on administration: Administration, reason: String) async throws {
        let done = try await administration.run(ReplayErasures(erasures), reason: reason)
        for user in done.withdrawn { Terminal.say("\(user) has withdrawn") }
        for user in done.pending { Terminal.say("\(user) will withdraw when its time is over") }
        for user in done.staying { Terminal.say("\(user) had cancelled its withdrawal and stays") }
        for failure in done.failed { Terminal.complain("\(failure.user) could not be withdrawn: \(failure.reason)") }
        let access = try await administration.run(ReplayAccess(changes))
        for (app, ids) in access.secrets.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            Terminal.say("\(app): the secret keys \(ids.joined(separator: ", ")) have ended")
        }
        for name in access.disabled { Terminal.say("the operator \(name) is disabled") }
        for name in access.demoted { Terminal.say("the operator \(name) has lower roles") }
        for name in access.withoutCredentials {
            Terminal.say("the operator \(name) needs a new link: gatehouse operator invite \(name)")
        }
        let passedOver = done.passedOver + access.passedOver
        if passedOver > 0 { Terminal.say("passed over: \(passedOver), which are done already") }
        guard done.failed.isEmpty else { throw ExitCode.failure }
    }

    /// - Throws: after naming the lines that can't be read.
    func end() throws {
        for number in broken {
            Terminal.complain("line \(number) tells of a withdrawal, a secret key or an operator, and can't be read")
        }
        guard broken.isEmpty else { throw ExitCode.failure }
    }
}
