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
                // Nothing depends on when exactly it fires: whoever meets what is due carries it out first.
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

/// Looks at the files of the certificate from time to time: whoever renews them may not be able to tell the server.
struct CertificateService: Service {
    let certificate: ServerCertificate
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(ServerCertificate.intervalSeconds))
                guard !Task.isCancelled else { return }
                certificate.renew(telling: logger)
            }
        }
    }
}

/// Tells the log what commands have done.
struct AuditService: Service {
    let follower: AuditFollower
    let now: @Sendable () -> Moment
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await follower.follow(at: now())
                } catch {
                    logger.warning("the audit log can't be read", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: .seconds(AuditFollower.intervalSeconds))
            }
        }
    }
}

/// Runs the jobs that are due, from time to time.
struct JobService: Service {
    let runner: JobRunner
    let now: @Sendable () -> Moment
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(JobRunner.intervalSeconds))
                guard !Task.isCancelled else { return }
                do {
                    let count = try await runner.run(at: now())
                    if count > 0 { logger.debug("ran jobs", metadata: ["count": .stringConvertible(count)]) }
                } catch {
                    logger.warning("jobs failed", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}

/// Ends the threads of slow hashes with the server.
struct PasswordService: Service {
    let hasher: PasswordHasher

    func run() async throws {
        try? await gracefulShutdown()
        await hasher.close()
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
