import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Records what an operator has confirmed in the console, in the transaction of the change itself (CON-11).
///
/// A class, because each call that waits has copies of its ``Work``, and a player's has no recorder.
final class DeedRecorder: Sendable {
    private let deed: Deed
    private let actor: Actor
    private let app: AppID?
    private let moment: Moment
    private let random: RandomSource

    /// - Parameters:
    ///   - actor: who has confirmed the deed.
    ///   - app: nil for a deed that concerns no app.
    init(_ deed: Deed, by actor: Actor, app: AppID?, at moment: Moment, random: RandomSource) {
        self.deed = deed
        self.actor = actor
        self.app = app
        self.moment = moment
        self.random = random
    }

    /// Makes a change, and writes its record with the target's state before and after.
    ///
    /// - Throws: ``DeedFailure`` for a page that was sent before, or whose target has changed since.
    func recording<Value>(in tx: Draft, _ change: () throws -> Value) throws -> Value {
        if let done = try DeedQueries.find(once: deed.once, of: deed.person, in: tx) {
            throw DeedFailure.repeated(done)
        }
        try requirePermission(in: tx)
        let before = try DeedRules.state(of: deed.target, app: app, in: tx)
        if let seen = deed.seen, seen != before.version { throw DeedFailure.stale(now: before) }
        let value = try change()
        // A draft does not see its own writes.
        let after = tx is Transaction ? try DeedRules.state(of: deed.target, app: app, in: tx) : nil
        let record = DeedRecord(
            id: TimeOrderedID.entry(at: moment, random: random), app: app, person: deed.person,
            personName: actor.name ?? "", role: actor.knownRole, action: deed.action, target: deed.target.text,
            reason: actor.reason ?? "", ticket: deed.ticket, before: before, after: after,
            transactionID: deed.transactionID, address: deed.address, date: moment)
        try DeedQueries.insert(record, once: deed.once, in: tx)
        return value
    }

    /// The page has read the role a moment ago. What counts is what the person has when the change is made (CON-10).
    private func requirePermission(in tx: Reader) throws {
        guard let person = try OperatorQueries.find(deed.person, in: tx)?.person, !person.isDisabled,
            let role = app.map({ person.role(in: $0) }) ?? person.serverRole, role >= actor.knownRole,
            try deed.session.map({ try OperatorSessionQueries.isThere($0, of: deed.person, in: tx) }) ?? true
        else {
            throw Refusal(.userPermission, "Your role or your session has changed meanwhile.", httpStatus: 403)
        }
    }
}
