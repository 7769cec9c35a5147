import GatehouseServer
import GatehouseStorage
import Logging

extension StorageEvents {
    /// What PostgreSQL tells beside its answers goes through a log: its notices are for developers, its warnings for operators.
    ///
    /// - Parameter logger: nil for a command's own.
    static func logged(to logger: Logger? = nil) -> StorageEvents {
        let logger =
            logger
            ?? Logger(label: "gatehouse") { JSONLogHandler(label: $0, level: .info, now: ServerEnvironment.live.now) }
        var events = StorageEvents()
        events.noticed = { message, isWarning in
            logger.log(
                level: isWarning ? .warning : .debug, "PostgreSQL tells something",
                metadata: ["notice": .string(message)])
        }
        return events
    }
}
