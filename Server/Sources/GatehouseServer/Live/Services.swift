import Logging
import ServiceLifecycle

/// Sweeps from time to time.
struct SweeperService: Service {
    let sweeper: Sweeper
    let now: @Sendable () -> Moment
    let metrics: ServerMetrics
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // The one timer of the server; nothing depends on when exactly it fires.
                try? await Task.sleep(for: .seconds(Sweeper.intervalSeconds))
                guard !Task.isCancelled else { return }
                do {
                    let rows = try await sweeper.sweep(at: now())
                    metrics.swept(rows)
                    if rows > 0 { logger.debug("swept", metadata: ["rows": .stringConvertible(rows)]) }
                } catch {
                    metrics.swept(nil)
                    logger.warning("sweep failed", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}

/// Turns readiness false at the first sign of a stop, and holds the stop until load balancers have had time to see it. It
/// is the last service, and so the first to stop.
struct DrainService: Service {
    let readiness: Readiness
    let seconds: Int
    let logger: Logger

    func run() async throws {
        try? await gracefulShutdown()
        readiness.stop()
        logger.info("stopping", metadata: ["drainSeconds": .stringConvertible(seconds)])
        guard seconds > 0 else { return }
        try? await Task.sleep(for: .seconds(seconds))
    }
}
