import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What a run of an action is in the operators' audit, where no page of the console says it.
package struct AuditedRun: Sendable, Hashable {
    /// Nil for the name of what happens.
    let action: String?
    /// Nil for a member that only the change finds.
    let target: ActionTarget?

    init(_ action: String? = nil, on target: ActionTarget?) {
        self.action = action
        self.target = target
    }

    /// The action about one member or, for several, the one about a list.
    static func members<One: OperatorAction, List: OperatorAction>(
        _ users: [UserID], _ one: One.Type, _ list: List.Type
    ) -> AuditedRun {
        let users = Set(users)
        if let user = users.first, users.count == 1 { return AuditedRun(one.about.name, on: .member(user)) }
        return AuditedRun(list.about.name, on: .members(Array(users)))
    }
}

/// Records what operators and game servers do, in the transaction of the change itself and whatever the door: who, why, what about, and
/// the target's state before and after (CON-11). The record has the name and the id that the audit log has.
final class ConfirmationRecorder: ChangeObserver {
    private let run: AuditedRun
    private let actor: Actor
    private let app: AppID?
    private let moment: Moment
    private let random: RandomSource
    private let address: ClientAddress
    private let transactionID: TransactionID?

    private init(
        _ run: AuditedRun, by actor: Actor, app: AppID?, at moment: Moment, random: RandomSource,
        address: ClientAddress, transactionID: TransactionID?
    ) {
        self.run = run
        self.actor = actor
        self.app = app
        self.moment = moment
        self.random = random
        self.address = address
        self.transactionID = transactionID
    }

    /// Nil for what is not in the operators' audit: what only reads, and what players and the server itself do.
    ///
    /// - Parameters:
    ///   - run: what is recorded of an actor who has confirmed nothing in the console.
    ///   - app: nil for what concerns no app.
    static func of(
        _ run: AuditedRun?, by actor: Actor, app: AppID?, at moment: Moment, random: RandomSource,
        address: ClientAddress = .unknown, transactionID: TransactionID? = nil
    ) -> ConfirmationRecorder? {
        let confirmed = actor.confirmation.map { AuditedRun($0.action, on: $0.target) }
        guard let run = confirmed ?? (actor.isRecorded ? run : nil) else { return nil }
        return ConfirmationRecorder(
            run, by: actor, app: app, at: moment, random: random, address: address, transactionID: transactionID)
    }

    /// Makes a change, and writes its record with the target's state before and after.
    ///
    /// - Throws: ``ConfirmationFailure`` for a page of the console that was sent before, or whose target has changed since.
    func observing<Value, Made: RecordedChange>(
        in tx: Draft, _ body: () throws -> (value: Value, change: Made)
    ) throws -> (value: Value, change: Made) {
        if let confirmation = actor.confirmation {
            if let done = try OperatorRecordQueries.find(once: confirmation.once, of: confirmation.person, in: tx) {
                throw ConfirmationFailure.repeated(done)
            }
            try requirePermission(of: confirmation, in: tx)
        }
        let before = try state(in: tx)
        if let seen = actor.confirmation?.seen, let before, seen != before.version {
            throw ConfirmationFailure.stale(now: before)
        }
        let done = try body()
        // A draft does not see its own writes.
        let after = tx is Transaction ? try state(in: tx) : nil
        try record(done.change, from: before, to: after, in: tx)
        return done
    }

    private func state(in tx: Reader) throws -> TargetState? {
        try run.target.map { try OperatorRecordRules.state(of: $0, app: app, in: tx) }
    }

    private func record(
        _ change: some RecordedChange, from before: TargetState?, to after: TargetState?, in tx: Draft
    ) throws {
        // A call that was made before, and one that has found nothing to do, leave no record. A page of the console always does, because
        // the page finds what came of it by that.
        guard actor.confirmation != nil || !change.events.isEmpty else { return }
        guard let action = run.action ?? change.events.last(where: \.isAudited)?.name.rawValue else { return }
        let event = try event(named: action, of: change, in: tx)
        let confirmation = actor.confirmation
        let target: ActionTarget = run.target ?? event.user.map { ActionTarget.member($0) } ?? .app
        let record = OperatorRecord(
            id: event.id, app: app, person: confirmation?.person ?? OperatorID(""), personName: actor.name ?? "",
            role: confirmation == nil ? nil : actor.knownRole, action: action, target: target.text,
            reason: actor.reason ?? "", ticket: confirmation?.ticket, before: before, after: after,
            transactionID: confirmation?.transactionID ?? transactionID?.rawValue ?? "",
            address: confirmation?.address ?? (address == .unknown ? "" : address.description), date: moment,
            door: actor.door)
        try OperatorRecordQueries.insert(record, once: confirmation?.once ?? record.id, in: tx)
    }

    /// What has happened by this name, with its record in the audit log.
    private func event(named action: String, of change: some RecordedChange, in tx: Draft) throws -> RecordedEvent {
        guard let event = change.events.last(where: { $0.name.rawValue == action }) else {
            return try change.record(named: EventName(action), about: run.target?.onlyMember, [:], in: tx)
        }
        // The audit log has nothing of what players do as well.
        if !event.isAudited { try AuditQueries.insert(AuditRecord(event), in: tx) }
        return event
    }

    /// The page has read the role a moment ago. What counts is what the person has when the change is made (CON-10).
    private func requirePermission(of confirmation: ActionConfirmation, in tx: Reader) throws {
        guard let person = try OperatorQueries.find(confirmation.person, in: tx)?.person, !person.isDisabled,
            let role = app.map({ person.role(in: $0) }) ?? person.serverRole, role >= actor.knownRole,
            try confirmation.session.map({ try OperatorSessionQueries.isThere($0, of: confirmation.person, in: tx) })
                ?? true
        else {
            throw Refusal(.userPermission, "Your role or your session has changed meanwhile.", httpStatus: 403)
        }
    }
}

extension Actor {
    /// Whether the operators' audit has what the actor does without a confirmation. Of people it is the console that asks for one.
    fileprivate var isRecorded: Bool {
        switch principal {
        case .operator: door != .console
        case .gameServer: true
        case .anyone, .device, .tokenHolder, .player, .provider, .system: false
        }
    }
}

extension ActionTarget {
    /// The one member that it is; nil for anything else.
    fileprivate var onlyMember: UserID? { if case .member(let user) = self { user } else { nil } }
}
