import GatehouseStorage
import Logging

extension StorageEvents {
    /// What PostgreSQL tells beside its answers goes through a log: its notices are for developers, its warnings for operators.
    static func logged(to logger: Logger = .command) -> StorageEvents {
        var events = StorageEvents()
        events.noticed = { message, isWarning in
            logger.log(
                level: isWarning ? .warning : .debug, "PostgreSQL tells something",
                metadata: ["notice": .string(message)])
        }
        return events
    }
}
