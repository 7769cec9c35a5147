import GatehouseStorage
import Logging

extension StorageEvents {
    /// Writes PostgreSQL's messages to a log: notices are for developers, warnings for operators.
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
