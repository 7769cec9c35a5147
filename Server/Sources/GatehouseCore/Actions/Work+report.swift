import GatehouseSecurity
import GatehouseWire

// What is told of a call that changes nothing.
extension Work {
    /// Reports something that leaves the account as it is, and therefore has no row.
    func report(_ event: AccountEvent, of user: UserID) {
        let recorded = RecordedEvent(
            id: "", name: event.name, app: app.id, user: user, origin: actor.origin, details: event.details,
            loggedDetails: event.loggedDetails, moment: moment, event: event)
        services.reporter.report([recorded], address: context.address, transactionID: context.transactionID)
    }

    /// Writes an audit line about something that has not succeeded, or that concerns no account.
    func note(_ event: String, _ subject: [String: String]) {
        services.reporter.audit.record(
            AuditLog.Entry(
                event: event, app: app.id, actor: actor.origin.actor, address: context.address.description,
                transactionID: context.transactionID, subject: subject))
    }
}
