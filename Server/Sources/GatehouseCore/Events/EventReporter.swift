import GatehouseSecurity
package import GatehouseWire

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

    func report(_ told: Told, address: ClientAddress? = nil, transactionID: TransactionID? = nil) {
        report(told.events, address: address, transactionID: transactionID)
        for activity in told.activities { tally.count(activity) }
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
