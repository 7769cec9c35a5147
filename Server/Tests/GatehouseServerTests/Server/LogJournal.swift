import Logging
import Synchronization

/// What a server has written to its log.
final class LogJournal: Sendable {
    private let entries = Mutex<[String]>([])

    var lines: [String] { entries.withLock { $0 } }
    var handler: Handler { Handler(journal: self) }
    var logger: Logger { Logger(label: "test") { _ in self.handler } }

    struct Handler: LogHandler {
        let journal: LogJournal
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            journal.entries.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }
}
