package import GatehouseSecurity
package import GatehouseStorage
public import GatehouseWire
public import Logging
import Synchronization

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

/// Writes the records of commands into a server's log, because a command's own output may not be kept. With several nodes each of them
/// writes the records; a record's id is the same in all logs.
package final class AuditFollower: Sendable {
    package static let intervalSeconds: Int64 = 30
    /// The period to look back at the start, because commands may have run while no server did.
    private static let firstSeconds: Int64 = 86_400
    /// A record has the time of its command, but is stored later.
    private static let overlapSeconds: Int64 = 600
    private static let pageSize = 500

    private let database: Database
    private let audit: AuditLog
    /// The beginning of the period to read, and the records in it that have been written.
    private let progress = Mutex<(begin: Moment?, told: Set<String>)>((nil, []))

    package init(database: Database, audit: AuditLog) {
        self.database = database
        self.audit = audit
    }

    /// Writes the new records to the log, and returns their number. It is never called concurrently.
    @discardableResult
    package func follow(at moment: Moment) async throws -> Int {
        let (begin, told) = progress.withLock { $0 }
        var records: [AuditRecord] = []
        var place = AuditRules.beginning(at: begin ?? moment.adding(seconds: -Self.firstSeconds))
        while true {
            let page = try await database.read { [place] tx in
                try AuditRules.records(after: place, by: .command, limit: Self.pageSize, in: tx)
            }
            records += page
            guard page.count == Self.pageSize, let last = page.last else { break }
            place = last.id
        }
        let new = records.filter { !told.contains($0.id) }
        for record in new { audit.record(AuditLog.Entry(record)) }
        let next = moment.adding(seconds: -Self.overlapSeconds)
        progress.withLock { progress in
            progress = (next, Set(records.lazy.filter { $0.date >= next.milliseconds }.map(\.id)))
        }
        return new.count
    }
}

extension AuditLog.Entry {
    fileprivate init(_ record: AuditRecord) {
        var subject = record.details
        subject["auditId"] = record.id
        subject["door"] = record.origin.door.rawValue
        subject["by"] = record.origin.name
        subject["userId"] = record.user?.rawValue
        self.init(
            event: record.event, app: record.app, actor: record.origin.actor, address: nil, transactionID: nil,
            subject: subject)
    }
}
