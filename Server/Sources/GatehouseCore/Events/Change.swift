import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// The context of a rule that changes something, besides its input and its transaction: one change of one app at one moment. Each run of
/// a transaction's body gets a new one, so that a body that is run again reports its events only once.
struct Change {
    let view: Viewpoint
    var origin: Origin
    let random: RandomSource
    /// Encrypts what must be recoverable.
    let vault: KeyVault
    /// Whether an earlier attempt has shown that the call's credential was used before. Then its first user must be checked.
    var credentialWasUsed = false
    private let recorder = EventRecorder()

    var app: App { view.app }
    var moment: Moment { view.moment }

    init(_ view: Viewpoint, by origin: Origin, random: RandomSource, vault: KeyVault) {
        self.view = view
        self.origin = origin
        self.random = random
        self.vault = vault
    }

    /// What rules have recorded so far.
    var events: [RecordedEvent] { recorder.told.events }
    /// What is to be told after the commit.
    var told: Told { recorder.told }

    /// Counts a member among those who were there today. It is no event of the account.
    func count(_ activity: FirstActivity) { recorder.told.activities.append(activity) }

    /// Records what has happened to an account. What changes the account gets its entry in the ledger, in this transaction.
    func record(_ event: AccountEvent, of user: UserID, in tx: Draft) throws {
        let recorded = RecordedEvent(
            id: TimeOrderedID.entry(at: moment, random: random), name: event.name, app: app.id, user: user,
            origin: origin, details: event.details, loggedDetails: event.loggedDetails, moment: moment, event: event)
        if event.changesAccount { try LedgerQueries.insert(LedgerEntry(recorded, of: user), app: app.id, in: tx) }
        if event.isAudited { try AuditQueries.insert(AuditRecord(recorded), in: tx) }
        recorder.told.events.append(recorded)
    }

    /// Records what an operator has done to the app. It gets its record in the audit log, in this transaction.
    func record(
        _ event: AppEvent, _ details: [String: String] = [:], about user: UserID? = nil, in tx: Draft
    ) throws {
        try record(named: EventName(event.rawValue), about: user, details, in: tx)
    }
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
        recorder.told.events.append(recorded)
        return recorded
    }
}

/// Collects what one run of a transaction's body has to tell. It is used by one thread.
private final class EventRecorder {
    var told = Told()
}
