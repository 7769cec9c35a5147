import Foundation
import LoadGenerator

/// A place with an app, and what starts servers on it.
struct Arena {
    static let ports = [18_771, 18_772]

    let executable: String
    let place: Place
    let app: TestApp

    init(_ executable: String, _ place: Place) throws {
        self.executable = executable
        self.place = place
        app = try TestApp(executable: executable, place: place, ports: Self.ports)
    }

    func start(_ number: Int = 0, arguments: [String] = []) throws -> ServerProcess {
        try ServerProcess(
            executable, folder: place.folder, port: app.ports[number],
            arguments: TestApp.settings(of: place) + arguments)
    }

    /// The log of every server of this place.
    var log: String { (try? String(contentsOfFile: "\(place.folder)/server.log", encoding: .utf8)) ?? "" }

    /// One request's status, or nil when no answer came.
    func status(_ path: String, port: Int? = nil) -> Int? {
        var requests = RequestList()
        requests.add(HTTPRequest("GET", path).bytes)
        var load = Load(port: port ?? app.ports[0], connections: 1, seconds: 5)
        load.patience = 5
        return load.run(requests).statuses.keys.first
    }

    /// The body of one response.
    func body(_ path: String, port: Int? = nil) throws -> String {
        var requests = RequestList()
        requests.add(HTTPRequest("GET", path).bytes)
        var body: [UInt8] = []
        var load = Load(port: port ?? app.ports[0], connections: 1, seconds: 5)
        load.onOutcome = { _, answer in body = answer?.body ?? [] }
        _ = load.run(requests)
        return String(decoding: body, as: UTF8.self)
    }

    /// Retries until the condition is true; false when it isn't in time.
    func eventually(within seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if try condition() { return true }
            usleep(50_000)
        }
        return false
    }
}

/// Does something on another thread while the load runs on this one.
/// Unchecked: the outcome is written before the semaphore is signalled, and read after.
final class Meanwhile: @unchecked Sendable {
    private let done = DispatchSemaphore(value: 0)
    private var failure: (any Error)?

    init(after seconds: Double, _ body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            Thread.sleep(forTimeInterval: seconds)
            do { try body() } catch { failure = error }
            done.signal()
        }
    }

    func finish() throws {
        done.wait()
        if let failure { throw failure }
    }
}
