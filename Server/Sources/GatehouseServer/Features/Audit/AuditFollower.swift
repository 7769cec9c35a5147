import GatehouseStorage
import GatehouseWire
import Synchronization

/// Has the log of a server tell what commands have done, whose own output nobody may keep. With several nodes each tells it;
/// the record's id is the same in all.
final class AuditFollower: Sendable {
    static let intervalSeconds: Int64 = 30
    /// At the start: commands may have worked while no server ran.
    private static let firstSeconds: Int64 = 86_400
    /// A record has the moment of its command, and is kept some time later.
    private static let overlapSeconds: Int64 = 600
    private static let pageSize = 500

    private let database: Database
    private let audit: AuditLog
    /// From when on, and what of that time was told.
    private let progress = Mutex<(begin: Moment?, told: Set<String>)>((nil, []))

    init(database: Database, audit: AuditLog) {
        self.database = database
        self.audit = audit
    }

    /// Tells what is new, and returns how much that was. Never called twice at once.
    @discardableResult
    func follow(at moment: Moment) async throws -> Int {
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
