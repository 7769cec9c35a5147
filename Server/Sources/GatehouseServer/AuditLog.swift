public import GatehouseWire
public import Logging

/// Who did what, when, why and by which door, in one line each: the log that an operator reads after an incident. It
/// names things by their ids and holds no secret.
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

    /// Writes each entry as one structured line.
    public static func logging(to logger: Logger) -> AuditLog {
        AuditLog { entry in
            var metadata: Logger.Metadata = ["audit": .string(entry.event), "actor": .string(entry.actor.rawValue)]
            if let app = entry.app { metadata["appId"] = .string(app.rawValue) }
            if let address = entry.address { metadata["address"] = .string(address) }
            if let id = entry.transactionID { metadata["transactionId"] = .string(id.rawValue) }
            for (name, value) in entry.subject { metadata[name] = .string(value) }
            logger.info("audit", metadata: metadata)
        }
    }
}
