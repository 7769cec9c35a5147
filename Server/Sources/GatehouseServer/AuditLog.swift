public import GatehouseWire
public import Logging

/// Who did what, when and by which door, in one line each: the log that an operator reads after an incident. It names things
/// by their ids and holds no secret. What moderates, administers or withdraws is in the database as well (``AuditRecord``).
public struct AuditLog: Sendable {
    /// One line.
    public struct Entry: Sendable, Hashable {
        public var event: String
        public var app: AppID?
        public var actor: Actor
        public var address: String?
        public var transactionID: TransactionID?
        public var subject: [String: String]
    }

    /// On whose behalf something happens.
    public enum Actor: String, Sendable, Hashable {
        case player, gameServer, `operator`, system
    }

    public var record: @Sendable (Entry) -> Void

    public init(record: @escaping @Sendable (Entry) -> Void) {
        self.record = record
    }

    /// Writes each entry as one structured line, whatever the logger's level: who watches the log for an incident, or for
    /// erasures, must not miss it because somebody wanted a quieter one.
    ///
    /// - Parameter respectsLevel: for development, where the lines are only in the way.
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
