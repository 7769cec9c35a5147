import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// The context of a rule that changes something, besides its input and its transaction: one change of one app at one moment. Each run of
/// a transaction's body gets a new one, so that a body that is run again reports its events only once.
struct Change {
    let context: CallContext
    var origin: Origin
    let random: RandomSource
    /// Encrypts what must be recoverable.
    let vault: KeyVault
    /// Whether an earlier attempt has shown that the call's credential was used before. Then its first user must be checked.
    var credentialWasUsed = false
    private let recorder = EventRecorder()

    var app: App { context.app }
    var moment: Moment { context.moment }

    init(_ context: CallContext, by origin: Origin, random: RandomSource, vault: KeyVault) {
        self.context = context
        self.origin = origin
        self.random = random
        self.vault = vault
    }

    /// What rules have recorded so far.
    var events: [RecordedEvent] { recorder.pending.events }
    /// What is to be told after the commit.
    var pending: PendingEvents { recorder.pending }

    /// Counts a member among those who were there today. It is no event of the account.
    func count(_ activity: FirstActivity) { recorder.pending.activities.append(activity) }

    /// Records what has happened to an account. What changes the account gets its entry in the ledger, in this transaction.
    func record(_ event: AccountEvent, of user: UserID, in tx: Draft) throws {
        let recorded = RecordedEvent(
            id: TimeOrderedID.entry(at: moment, random: random), name: event.name, app: app.id, user: user,
            origin: origin, details: event.details, loggedDetails: event.loggedDetails, moment: moment, event: event)
        if event.changesAccount { try LedgerQueries.insert(LedgerEntry(recorded, of: user), app: app.id, in: tx) }
        if event.isAudited { try AuditQueries.insert(AuditRecord(recorded), in: tx) }
        recorder.pending.events.append(recorded)
    }

    /// Records what an operator has done to the app. It gets its record in the audit log, in this transaction.
    func record(
        _ event: AppEvent, _ details: [String: String] = [:], about user: UserID? = nil, in tx: Draft
    ) throws {
        try record(named: EventName(event.rawValue), about: user, details, in: tx)
    }
}

/// A change that records what happens in it.
protocol RecordedChange {
    /// What has happened so far.
    var events: [RecordedEvent] { get }

    /// Records in the audit log what has an event of its own nowhere else.
    @discardableResult
    func record(
        named name: EventName, about user: UserID?, _ details: [String: String], in tx: Draft
    ) throws -> RecordedEvent
}

/// Sees what the changes of an action do, in their transactions: it may look at the state before, refuse, and write beside them.
protocol ChangeObserver: Sendable {
    /// Makes a change.
    func observing<Value, Made: RecordedChange>(
        in tx: Draft, _ body: () throws -> (value: Value, change: Made)
    ) throws -> (value: Value, change: Made)
}

extension Change: RecordedChange {
    @discardableResult
    func record(
        named name: EventName, about user: UserID?, _ details: [String: String], in tx: Draft
    ) throws -> RecordedEvent {
        let recorded = RecordedEvent(
            id: TimeOrderedID.entry(at: moment, random: random), name: name, app: app.id, user: user, origin: origin,
            details: details, moment: moment)
        try AuditQueries.insert(AuditRecord(recorded), in: tx)
        recorder.pending.events.append(recorded)
        return recorded
    }
}

/// Collects what one run of a transaction's body has to tell. It is used by one thread.
private final class EventRecorder {
    var pending = PendingEvents()
}

/// What is told after the commit of a first run.
struct PendingEvents: Sendable {
    var events: [RecordedEvent] = []
    var activities: [FirstActivity] = []
}

/// An event with its actor and its time, as the audit lines and the metrics need it after the commit.
struct RecordedEvent: Sendable, Hashable {
    /// The id of the event's row in the ledger and in the audit log.
    let id: String
    let name: EventName
    /// Nil for an event that concerns the whole server.
    let app: AppID?
    /// Nil for an event that concerns a whole app.
    let user: UserID?
    let origin: Origin
    let details: [String: String]
    var loggedDetails: [String: String] = [:]
    let moment: Moment
    /// Nil for an operator's event, which changes no account.
    var event: AccountEvent?

    /// Whether it has a record in the audit log.
    var isAudited: Bool { event?.isAudited ?? true }
    /// The member whose account the event has changed.
    var changedUser: UserID? { event?.changesAccount == true ? user : nil }
}

extension LedgerEntry {
    init(_ event: RecordedEvent, of user: UserID) {
        self.init(
            id: event.id, user: user, event: event.name, origin: event.origin, details: event.details,
            date: event.moment.milliseconds)
    }
}

extension AuditRecord {
    init(_ event: RecordedEvent) {
        // An operator's reason may name a person, so it is only in the member's ledger.
        var origin = event.origin
        origin.reason = nil
        self.init(
            id: event.id, event: event.name.rawValue, app: event.app, user: event.user, origin: origin,
            details: event.details, date: event.moment.milliseconds)
    }
}

/// Reports events after the commit of their first run: an audit line for each, and its metric. This is the only place that does so. A
/// repeated call has no events, because its body does not run again.
package struct EventReporter: Sendable {
    package let audit: AuditLog
    /// The numbers for operators.
    package let tally = Tally()
    /// Counts an event, for metrics.
    var count: @Sendable (AccountEvent) -> Void = { _ in }
    /// Counts a login that was refused, for metrics.
    var countRefusedLogin: @Sendable (Provider) -> Void = { _ in }
    /// Counts a call that the database has failed, for metrics.
    var countDatabaseFailure: @Sendable (DatabaseFailure) -> Void = { _ in }

    package init(
        audit: AuditLog,
        count: @escaping @Sendable (AccountEvent) -> Void = { _ in },
        countRefusedLogin: @escaping @Sendable (Provider) -> Void = { _ in },
        countDatabaseFailure: @escaping @Sendable (DatabaseFailure) -> Void = { _ in }
    ) {
        self.audit = audit
        self.count = count
        self.countRefusedLogin = countRefusedLogin
        self.countDatabaseFailure = countDatabaseFailure
    }

    func report(_ pending: PendingEvents, address: ClientAddress? = nil, transactionID: TransactionID? = nil) {
        report(pending.events, address: address, transactionID: transactionID)
        for activity in pending.activities { tally.count(activity) }
    }

    func report(_ events: [RecordedEvent], address: ClientAddress? = nil, transactionID: TransactionID? = nil) {
        for event in events {
            if let account = event.event {
                count(account)
                if let app = event.app { tally.count(account, of: app, at: event.moment) }
            }
            audit.record(AuditLog.Entry(event, address: address, transactionID: transactionID))
        }
    }
}

extension AuditLog.Entry {
    init(_ event: RecordedEvent, address: ClientAddress?, transactionID: TransactionID?) {
        var subject = event.details.merging(event.loggedDetails) { $1 }
        subject["userId"] = event.user?.rawValue
        subject["by"] = event.origin.name
        // With this id an operator recognizes an event that a server has reported again after a crash.
        if event.event?.changesAccount ?? true { subject["auditId"] = event.id }
        self.init(
            event: event.name.rawValue, app: event.app, actor: event.origin.actor, address: address?.description,
            transactionID: transactionID, subject: subject)
    }
}
