import CoreMetrics
import GatehouseCore
import GatehouseProviders
public import GatehouseStorage
import GatehouseWire
import Synchronization

/// A server's metrics. Every metric and its name is defined here (`docs/observe.md` lists them).
public struct ServerMetrics: Sendable {
    public let registry: PrometheusRegistry
    private let handles: Handles

    public init() {
        registry = PrometheusRegistry()
        handles = Handles(registry)
        registry.describe(
            "gatehouse_http_requests_total", "Answers by route, method, HTTP status and error code (0: none).")
        registry.describe(
            "gatehouse_http_request_duration_seconds", "Time from a request's head to its answer, by route.")
        registry.describe("gatehouse_http_requests_in_flight", "Requests that are being served.")
        registry.describe(
            "gatehouse_connections_refused_total", "Connections closed because their address had too many.")
        registry.describe("gatehouse_logins_total", "Logins with an accepted proof, by identity provider and result.")
        registry.describe("gatehouse_database_commit_writes", "Writes that one commit made durable.")
        registry.describe("gatehouse_database_waiting", "Reads and writes that wait for a thread of the database.")
        registry.describe("gatehouse_database_errors_total", "Calls that the database has failed, by kind.")
        registry.describe(
            "gatehouse_database_retries_total", "Transactions that lost against another and were tried again.")
        registry.describe("gatehouse_database_reconnects_total", "Connections to the database that were lost.")
        registry.describe("gatehouse_swept_rows_total", "Rows deleted because their time was over.")
        registry.describe("gatehouse_sweeps_total", "Sweeps by result: done, failed.")
        registry.describe(
            "gatehouse_settlements_failed_total", "Members to whom a sweep could not do what their time had brought.")
        registry.describe(
            "gatehouse_import_mismatches", "Apps that do not recognize imported players, by identity provider.")
        registry.describe("process_resident_memory_bytes", "Resident memory.")
        registry.describe("process_cpu_seconds_total", "Processor time.")
        registry.describe("process_open_fds", "Open files and sockets.")
    }

    /// The metrics of the storage.
    public var storageEvents: StorageEvents {
        let commits = Recorder(label: "gatehouse_database_commit_writes", aggregate: true, factory: registry)
        let retries = Counter(label: "gatehouse_database_retries_total", factory: registry)
        let reconnects = Counter(label: "gatehouse_database_reconnects_total", factory: registry)
        var events = StorageEvents()
        events.committed = { commits.record($0) }
        events.retried = { retries.increment() }
        events.disconnected = { _ in reconnects.increment() }
        return events
    }

    /// Reads the queues' lengths at each export.
    func watch(_ database: Database) {
        let reads = Meter(label: "gatehouse_database_waiting", dimensions: [("kind", "read")], factory: registry)
        let writes = Meter(label: "gatehouse_database_waiting", dimensions: [("kind", "write")], factory: registry)
        registry.collect {
            let waiting = database.waiting
            reads.set(waiting.reads)
            writes.set(waiting.writes)
        }
    }

    func watchProcess() {
        let memory = Meter(label: "process_resident_memory_bytes", factory: registry)
        let files = Meter(label: "process_open_fds", factory: registry)
        let processor = FloatingPointCounter(label: "process_cpu_seconds_total", factory: registry)
        let counted = Mutex(0.0)
        registry.collect {
            let usage = ProcessUsage.current()
            memory.set(usage.residentBytes)
            files.set(usage.openFiles)
            counted.withLock { counted in
                processor.increment(by: usage.processorSeconds - counted)
                counted = usage.processorSeconds
            }
        }
    }

    func request(_ route: String, method: String, status: Int, code: Int, nanoseconds: UInt64) {
        let handle = handles.request(route, method, status, code)
        handle.count.increment()
        handle.time.recordNanoseconds(Int64(clamping: nanoseconds))
    }

    func inFlight(_ count: Int) { handles.inFlight.set(count) }

    func connectionRefused() { handles.connectionsRefused.increment() }

    enum LoginResult: String, CaseIterable {
        case new, returning, refused
    }

    /// The providers with their own label. Untrusted names must not create new labels.
    private static let known = Set([.guest] + ProviderName.all.map(\.provider))

    /// - Parameter provider: the provider of the requested login; an unknown one counts as `other`.
    func login(_ provider: Provider, _ result: LoginResult) {
        handles.login(Self.known.contains(provider) ? provider.rawValue : "other", result.rawValue).increment()
    }

    func count(_ event: AccountEvent) {
        switch event {
        case .memberCreated(let provider, _): login(provider, .new)
        case .loggedIn(let provider, _): login(provider, .returning)
        default: break
        }
    }

    func databaseFailed(_ failure: DatabaseFailure) { handles.databaseError(failure.kind).increment() }

    func swept(_ rows: Int?) {
        Counter(
            label: "gatehouse_sweeps_total", dimensions: [("result", rows == nil ? "failed" : "done")],
            factory: registry
        ).increment()
        if let rows { Counter(label: "gatehouse_swept_rows_total", factory: registry).increment(by: rows) }
    }

    func settlementFailed() {
        Counter(label: "gatehouse_settlements_failed_total", factory: registry).increment()
    }

    func importMismatches(_ provider: Provider, apps count: Int) {
        Meter(label: "gatehouse_import_mismatches", dimensions: [("idp", provider.rawValue)], factory: registry)
            .set(count)
    }

    /// Caches metric handles, which are used very often.
    private final class Handles: Sendable {
        struct Request: Sendable {
            let count: Counter
            let time: Timer
        }

        private struct Key: Hashable, Sendable {
            let route: String
            let method: String
            let status: Int
            let code: Int
        }

        let inFlight: Meter
        let connectionsRefused: Counter
        private let registry: PrometheusRegistry
        private let requests = Mutex<[Key: Request]>([:])
        private let counters = Mutex<[String: Counter]>([:])

        init(_ registry: PrometheusRegistry) {
            self.registry = registry
            inFlight = Meter(label: "gatehouse_http_requests_in_flight", factory: registry)
            connectionsRefused = Counter(label: "gatehouse_connections_refused_total", factory: registry)
        }

        func request(_ route: String, _ method: String, _ status: Int, _ code: Int) -> Request {
            let key = Key(route: route, method: method, status: status, code: code)
            return requests.withLock { requests in
                if let known = requests[key] { return known }
                let made = Request(
                    count: Counter(
                        label: "gatehouse_http_requests_total",
                        dimensions: [
                            ("route", route), ("method", method), ("status", "\(status)"), ("code", "\(code)"),
                        ], factory: registry),
                    time: Timer(
                        label: "gatehouse_http_request_duration_seconds", dimensions: [("route", route)],
                        factory: registry))
                // There are only a few routes, methods and codes. The limit protects against a mistake that breaks this assumption.
                if requests.count < 4_096 { requests[key] = made }
                return made
            }
        }

        func login(_ provider: String, _ result: String) -> Counter {
            counter("gatehouse_logins_total", [("idp", provider), ("result", result)])
        }

        func databaseError(_ kind: String) -> Counter {
            counter("gatehouse_database_errors_total", [("kind", kind)])
        }

        private func counter(_ label: String, _ dimensions: [(String, String)]) -> Counter {
            let key = label + dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ",")
            return counters.withLock { counters in
                if let known = counters[key] { return known }
                let made = Counter(label: label, dimensions: dimensions, factory: registry)
                counters[key] = made
                return made
            }
        }
    }
}
