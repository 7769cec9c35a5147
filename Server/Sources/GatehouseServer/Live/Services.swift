import GatehouseCore
import GatehouseSecurity
import Logging
import ServiceLifecycle

/// Runs the sweeper periodically.
struct SweeperService: Service {
    let sweeper: Sweeper
    let now: @Sendable () -> Moment
    let metrics: ServerMetrics
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // Nothing depends on the exact time, because a call that finds a passed deadline makes the due change first.
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

/// Checks the certificate's files periodically, because the program that renews them may not be able to notify the server.
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

/// Reports what a crash has left unreported, and keeps the progress of this node. It is the first service, and therefore the last to
/// stop, so that every line of a process that stops in order has been written.
struct AuditRecoveryService: Service {
    let recovery: AuditRecovery
    let now: @Sendable () -> Moment
    let logger: Logger

    func run() async throws {
        let hasRecovered = await cancelWhenGracefulShutdown {
            var isStart = true
            while !Task.isCancelled {
                do {
                    let count = try await recovery.recover(at: now(), isStart: isStart)
                    if count > 0 { logger.notice("reported again after a crash", metadata: ["lines": "\(count)"]) }
                    try await recovery.advance(to: now())
                    isStart = false
                } catch {
                    logger.warning("the progress of the audit lines can't be kept", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: .seconds(AuditRecovery.intervalSeconds))
            }
            return !isStart
        }
        // Otherwise the row of a former process is left to the next start.
        guard hasRecovered else { return }
        // After a failure here the next start reports some lines again.
        try? await recovery.stop()
    }
}

/// Writes the records of commands to the log.
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

extension Service {
    /// Writes every second what was collected in memory, and once more when the server stops. A batch that fails is left to the next.
    ///
    /// - Parameter failure: what the log says about a batch that fails.
    fileprivate func writingBatches(
        _ failure: Logger.Message, _ logger: Logger, _ write: @escaping @Sendable () async throws -> Void
    ) async {
        @Sendable func writeOne() async {
            do {
                try await write()
            } catch {
                logger.warning(failure, metadata: ["error": "\(error)"])
            }
        }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                guard !Task.isCancelled else { return }
                await writeOne()
            }
        }
        await writeOne()
    }
}

/// Writes down periodically what has happened, and once more when the server stops. A crash loses the last interval.
struct CountService: Service {
    let services: GatehouseCore.Services
    let logger: Logger

    func run() async throws {
        await writingBatches("the numbers for operators can't be written", logger) { [services] in
            try await services.writeCounts()
        }
    }
}

/// Runs due jobs periodically.
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

/// Writes refused calls in batches. It starts before the server listens, and so it stops after the last call.
struct RefusalService: Service {
    let services: GatehouseCore.Services
    let logger: Logger

    func run() async throws {
        await writingBatches("refused calls can't be written", logger) { [services] in
            try await services.refusals.write(with: services)
        }
    }
}

/// Stops the threads for slow hashes with the server.
struct PasswordService: Service {
    let hashers: [PasswordHasher]

    func run() async throws {
        try? await gracefulShutdown()
        for hasher in hashers { await hasher.close() }
    }
}

/// Reports "not ready" as soon as a shutdown begins, and delays the shutdown until load balancers have had time to notice. It is the
/// last service, and therefore the first to stop.
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
