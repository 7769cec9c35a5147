#if canImport(os)
import os
#endif

extension LogEntry {
    /// Writes to the system's log, with the subsystem `Gatehouse` and the category `client`. Nil on systems without `os.Logger`, such
    /// as Linux.
    static var systemLogger: (@Sendable (LogEntry) -> Void)? {
        #if canImport(os)
        let logger = Logger(subsystem: "Gatehouse", category: "client")
        return { entry in logger.log(level: entry.level.type, "\(entry.description, privacy: .public)") }
        #else
        return nil
        #endif
    }
}

#if canImport(os)
extension LogEntry.Level {
    fileprivate var type: OSLogType {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .default
        case .error: .error
        }
    }
}
#endif
