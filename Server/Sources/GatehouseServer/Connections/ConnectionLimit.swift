import GatehouseSecurity
import Logging
import NIOCore
import Synchronization

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
