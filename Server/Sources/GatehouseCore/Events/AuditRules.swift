import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// The durable audit log: moderation, administration and withdrawals, through any interface. Each record is written in the transaction
/// of the event. Players' actions are in the ledger, and refusals only in the log: neither adds a row here.
enum AuditRules {
    /// Appends a record of what an operator has done to the whole server, here and in the operators' audit. What rules do to apps and
    /// accounts is recorded by ``Change/record(_:of:in:)``.
    static func append(
        _ event: String, by origin: Origin, at moment: Moment, random: RandomSource, in tx: Draft
    ) throws {
        let id = TimeOrderedID.entry(at: moment, random: random)
        try AuditQueries.insert(
            AuditRecord(
                id: id, event: event, app: nil, user: nil, origin: origin, details: [:], date: moment.milliseconds),
            in: tx)
        let record = DeedRecord(
            id: id, app: nil, person: OperatorID(""), personName: origin.name ?? "", role: nil, action: event,
            target: DeedTarget.server.text, reason: origin.reason ?? "", ticket: nil, before: nil, after: nil,
            transactionID: "", address: "", date: moment, door: origin.door)
        try DeedQueries.insert(record, once: id, in: tx)
    }

    /// A page of records in chronological order.
    ///
    /// - Parameter end: the moment before which they were; nil for all.
    static func records(
        after id: String, before end: Moment? = nil, by door: Origin.Door? = nil, limit: Int, in tx: Reader
    ) throws -> [AuditRecord] {
        try AuditQueries.records(after: id, before: end.map(beginning(at:)), by: door, limit: limit, in: tx)
    }

    /// A bound below the ids of all records at this moment or later.
    static func beginning(at moment: Moment) -> String {
        TimeOrderedID.firstSession(at: moment).rawValue
    }

    /// The records of one page of a list that is read to its end.
    static let pageSize = 500

    /// Where a list of all that has happened since a moment begins. A change has the time at which its call arrived, but is stored later,
    /// so changes up to ten minutes older are included.
    static func beginning(ofListSince moment: Moment) -> String {
        beginning(at: moment.adding(seconds: -600))
    }
}
