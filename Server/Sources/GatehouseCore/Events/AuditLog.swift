public import GatehouseWire
public import Logging

/// The log for an operator after an incident: one line for each event, with the actor, the time and the interface. It contains ids and
/// no secrets. Moderation, administration and withdrawals are also stored in the database (``AuditRecord``).
public struct AuditLog: Sendable {
    /// One line of the log.
    public struct Entry: Sendable, Hashable {
        public var event: String
        public var app: AppID?
        public var actor: ActorKind
        public var address: String?
        public var transactionID: TransactionID?
        public var subject: [String: String]

        package init(
            event: String, app: AppID?, actor: ActorKind, address: String?, transactionID: TransactionID?,
            subject: [String: String]
        ) {
            self.event = event
            self.app = app
            self.actor = actor
            self.address = address
            self.transactionID = transactionID
            self.subject = subject
        }
    }

    public var record: @Sendable (Entry) -> Void

    public init(record: @escaping @Sendable (Entry) -> Void) {
        self.record = record
    }

    /// Writes each entry as one structured line, regardless of the logger's level: an operator who monitors the log for incidents or
    /// erasures must not miss one because the level is set to a quieter one.
    ///
    /// - Parameter respectsLevel: for development, where the lines would be a distraction.
    public static func logging(to logger: Logger, respectsLevel: Bool = false) -> AuditLog {
        var logger = logger
        if !respectsLevel { logger.logLevel = min(logger.logLevel, .info) }
        return AuditLog { [logger] entry in
            var metadata: Logger.Metadata = ["audit": .string(entry.event), "actor": .string(entry.actor.rawValue)]
            if let app = entry.app { metadata["appId"] = .string(app.rawValue) }
            if let address = entry.address { metadata["address"] = .string(address) }
            if let id = entry.transactionID { metadata["transactionId"] = .string(id.rawValue) }
            for (name, value) in entry.subject { metadata[name] = .string(value) }
            logger.info("audit", metadata: metadata)
        }
    }
}
