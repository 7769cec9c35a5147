import GatehouseSecurity
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// A Hummingbird connection with the limit of connections per network and with the deadlines of every state (INP-2).
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    let base: Base
    let times: ConnectionTimes
    let limit: ConnectionLimit

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard limit.admit(channel) else {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ConnectionLimit.Reached())
        }
        let pipeline = channel.pipeline
        let times = times
        return channel.eventLoop.makeCompletedFuture {
            // A connection keeps this buffer while it waits. Most requests fit, and it grows for larger ones.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1_024, maximum: 65_536))
            try pipeline.syncOperations.addHandler(
                ConnectionDeadlines(times, acceptedAt: channel.eventLoop.now), position: .first)
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let operations = pipeline.syncOperations
            let connection = try operations.handler(type: ConnectionDeadlines.self)
            let tls: (any ChannelHandler)? = try? operations.handler(type: NIOSSLServerHandler.self)
            try operations.addHandler(ArrivalHandler(connection), position: .after(tls ?? connection))
            return value
        }.flatMapErrorThrowing { error in
            channel.close(promise: nil)
            throw error
        }
    }

    /// Serves the connection's requests on the connection's event loop. Otherwise each call of an asynchronous function, and each
    /// return from one, would go through the loop's queue: fifty times in a request.
    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor.of(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// Limits the concurrent connections of one network, so that a single machine can't use them all (INP-2). Connections above the limit
/// are closed as soon as they are accepted. Trusted proxies have no limit, because they carry other clients' connections.
final class ConnectionLimit: Sendable {
    /// The connection exceeds the limit.
    struct Reached: Error {}

    private struct State {
        var connections: [ClientAddress.Network: Int] = [:]
        var refused = 0
        var nextReportAt: UInt64 = 0
    }

    /// Limits the log entries, so that a flood does not fill the log too.
    private static let reportNanoseconds: UInt64 = 60_000_000_000

    private let maximum: Int
    private let trustedProxies: Networks
    private let metrics: ServerMetrics
    private let monotonicNanoseconds: @Sendable () -> UInt64
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter maximum: connections of one IPv4 address or one /64 network of IPv6; 0 for no limit.
    init(
        maximum: Int, trustedProxies: Networks, metrics: ServerMetrics,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64, logger: Logger
    ) {
        self.maximum = maximum
        self.trustedProxies = trustedProxies
        self.metrics = metrics
        self.monotonicNanoseconds = monotonicNanoseconds
        self.logger = logger
    }

    /// Whether a connection may stay. It counts until it is closed.
    func admit(_ channel: any Channel) -> Bool {
        let address = ClientAddress(channel.remoteAddress)
        guard let network = enter(address) else { return false }
        if let counted = network.counted { channel.closeFuture.whenComplete { _ in self.leave(counted) } }
        return true
    }

    struct Admitted {
        /// Nil if the connection is not counted.
        let counted: ClientAddress.Network?
    }

    /// Nil for a connection that exceeds the limit.
    func enter(_ address: ClientAddress) -> Admitted? {
        guard maximum > 0, address != .unknown, !trustedProxies.contains(address) else { return Admitted(counted: nil) }
        let network = address.network
        let isAdmitted = state.withLock { state in
            let count = state.connections[network, default: 0]
            guard count < maximum else { return false }
            state.connections[network] = count + 1
            return true
        }
        guard isAdmitted else {
            refused(address)
            return nil
        }
        return Admitted(counted: network)
    }

    func leave(_ network: ClientAddress.Network) {
        state.withLock { state in
            let count = state.connections[network, default: 0] - 1
            state.connections[network] = count > 0 ? count : nil
        }
    }

    private func refused(_ address: ClientAddress) {
        metrics.connectionRefused()
        let now = monotonicNanoseconds()
        let count: Int? = state.withLock { state in
            state.refused += 1
            guard now >= state.nextReportAt else { return nil }
            state.nextReportAt = now &+ Self.reportNanoseconds
            defer { state.refused = 0 }
            return state.refused
        }
        guard let count else { return }
        logger.warning(
            "connections refused: an address has as many as max-connections-per-address allows",
            metadata: ["address": .string(address.description), "refused": .stringConvertible(count)])
    }
}

/// Runs a request's task on the event loop of its connection. After waiting for the database, a task would otherwise continue on any
/// thread and then switch to its connection's: two more threads to wake.
final class LoopExecutor: TaskExecutor {
    /// A loop has no place for a value of its own, and its executor must outlive each connection. So the executors are found by their
    /// loop, and there is nothing to inject: they have no state, and are the same for every server of the process.
    private static let executors = Mutex<[ObjectIdentifier: LoopExecutor]>([:])

    private let loop: any EventLoop

    private init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// There are as many as event loops, and they live as long as the process.
    static func of(_ loop: any EventLoop) -> LoopExecutor {
        executors.withLock { executors in
            if let executor = executors[ObjectIdentifier(loop)] { return executor }
            let executor = LoopExecutor(loop)
            executors[ObjectIdentifier(loop)] = executor
            return executor
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
