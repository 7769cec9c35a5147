import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
package import Logging
import ServiceLifecycle
import Synchronization

/// Runs the sweeper periodically.
struct SweeperService: Service {
    let sweeper: Sweeper
    let metrics: ServerMetrics
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Nothing depends on the exact time, because a call that finds a passed deadline makes the due change first.
            await repeating(every: .seconds(Sweeper.intervalSeconds)) {
                let rows = try await sweeper.sweep()
                metrics.swept(rows)
                if rows > 0 { logger.debug("swept", metadata: ["rows": .stringConvertible(rows)]) }
            } failed: { error in
                metrics.swept(nil)
                for (step, error) in Self.parts(of: error) {
                    logger.warning("sweep failed", metadata: ["step": "\(step)", "error": "\(error)"])
                }
            }
        }
    }
}

extension SweeperService {
    private static func parts(of error: any Error) -> [(step: String, error: any Error)] {
        (error as? SweepFailure)?.steps.map { ($0.name, $0.error) } ?? [("all", error)]
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
        let progress = await cancelWhenGracefulShutdown {
            var progress = AuditRecovery.Progress()
            while !Task.isCancelled {
                do {
                    let count = try await recovery.follow(&progress, at: now())
                    if count > 0 { logger.notice("reported again", metadata: ["lines": "\(count)"]) }
                } catch {
                    logger.warning("the progress of the audit lines can't be kept", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: .seconds(AuditRecovery.intervalSeconds))
            }
            return progress
        }
        // Otherwise the row of a former process is left to the next start.
        guard progress.hasStarted else { return }
        // After a failure here the next start reports some lines again.
        try? await recovery.stop(progress)
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
    /// Runs a step periodically until the task is cancelled. Only that ends it: a step may throw a `CancellationError` for a part of its
    /// own that was cancelled, and must be run again after that, too.
    func repeating(
        every pause: Duration, _ step: () async throws -> Void, failed: (any Error) -> Void
    ) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: pause)
            guard !Task.isCancelled else { return }
            do {
                try await step()
            } catch {
                guard !Task.isCancelled else { return }
                failed(error)
            }
        }
    }

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

/// Runs due jobs periodically, several at a time.
struct JobService: Service {
    let runner: JobRunner
    let logger: Logger

    init(services: GatehouseCore.Services, logger: Logger) {
        runner = JobRunner(services: services) { try await Task.sleep(for: .seconds(JobRules.limitSeconds)) }
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                for _ in 0..<JobRunner.count { group.addTask { await runJobs() } }
            }
        }
    }

    private func runJobs() async {
        await repeating(every: .seconds(JobRunner.intervalSeconds)) {
            let count = try await runner.run()
            if count > 0 { logger.debug("ran jobs", metadata: ["count": .stringConvertible(count)]) }
        } failed: { error in
            logger.warning("jobs failed", metadata: ["error": "\(error)"])
        }
    }
}

/// Looks every minute at what receivers of alerts are to be told.
struct AlertService: Service {
    let watcher: AlertWatcher
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await repeating(every: .seconds(AlertWatcher.intervalSeconds)) {
                try await watcher.run()
            } failed: { error in
                logger.warning("alerts failed", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// Looks every minute at whether imported players are recognized, and logs when that changes.
struct ImportWatchService: Service {
    let watcher: ImportWatcher
    let metrics: ServerMetrics
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await repeating(every: .seconds(ImportWatcher.intervalSeconds)) {
                try await look()
            } failed: { error in
                logger.warning("the logins of imported players can't be looked at", metadata: ["error": "\(error)"])
            }
        }
    }

    func look() async throws {
        let outcome = try await watcher.run()
        for (provider, count) in outcome.apps { metrics.importMismatches(provider, apps: count) }
        for news in outcome.news {
            var metadata: Logger.Metadata = ["app": "\(news.app)", "idp": "\(news.provider)"]
            guard let mismatch = news.mismatch else {
                logger.notice("the warning about imported players is over", metadata: metadata)
                continue
            }
            metadata["newMembers"] = .stringConvertible(mismatch.new)
            metadata["logins"] = .stringConvertible(mismatch.all)
            logger.warning(
                "imported players are not recognized: is it the same team, app or kind of ids as in the old system?",
                metadata: metadata)
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

/// Ends the process when its other services do not end. Tasks may wait for each other then, as in issue 430 of swift-async-algorithms, so
/// that no task can do it: a thread of its own can.
///
/// It stands first and last in a group. Whether the group stops its services one after another or cancels all, one of the two hears of it
/// before a service that does not end.
package final class StopLimit: Service {
    private let seconds: Int
    private let logger: Logger
    private let isRunning = Atomic(false)

    /// - Parameter seconds: from the beginning of the stop to the end of the process.
    package init(seconds: Int, logger: Logger) {
        self.seconds = seconds
        self.logger = logger
    }

    package func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            try? await gracefulShutdown()
        } onCancelOrGracefulShutdown: {
            self.start()
        }
    }

    private func start() {
        guard !isRunning.exchange(true, ordering: .relaxed) else { return }
        SystemThread.start("gatehouse-stop", stackBytes: 1 << 18) { [seconds, logger] in
            sleep(UInt32(clamping: seconds))
            logger.critical(
                "the server has not ended by itself: ending it now. What was acknowledged is in the database",
                metadata: ["seconds": .stringConvertible(seconds)])
            LogOutput.standardError.close()
            // exit() would run what other threads may be in the middle of.
            _exit(EXIT_FAILURE)
        }
    }
}
