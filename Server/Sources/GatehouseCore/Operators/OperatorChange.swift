import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// One change of operators at one moment. It collects what happens, so that the log is told after the commit.
struct OperatorChange {
    let origin: Origin
    /// Where the person is; empty for a command.
    let address: String
    let moment: Moment
    let random: RandomSource
    private let recorder = Recorder()

    private final class Recorder {
        var events: [RecordedEvent] = []
    }

    init(origin: Origin, address: String, moment: Moment, random: RandomSource) {
        self.origin = origin
        self.address = address
        self.moment = moment
        self.random = random
    }

    var events: [RecordedEvent] { recorder.events }

    /// Records what has happened to a person, in this transaction.
    func record(_ event: OperatorEvent, of person: String, _ details: [String: String] = [:], in tx: Draft) throws {
        var details = details
        details["operator"] = person
        if !address.isEmpty { details["address"] = address }
        try record(named: EventName(event.rawValue), about: nil, details, in: tx)
    }
}

extension OperatorChange: RecordedChange {
    @discardableResult
    func record(
        named name: EventName, about user: UserID?, _ details: [String: String], in tx: Draft
    ) throws -> RecordedEvent {
        let recorded = RecordedEvent(
            id: TimeOrderedID.entry(at: moment, random: random), name: name, app: nil, user: user, origin: origin,
            details: details, moment: moment)
        try AuditQueries.insert(AuditRecord(recorded), in: tx)
        recorder.events.append(recorded)
        return recorded
    }
}

extension Services {
    /// Lets a person change what is the person's own.
    func changeOperators<Value: Sendable>(
        by person: String, from visitor: OperatorVisitor, at moment: Moment,
        _ body: @escaping @Sendable (OperatorChange, Transaction) throws -> Value
    ) async throws -> Value {
        let origin = Origin(actor: .operator, door: .console, name: person)
        return try await changeOperators(origin, at: visitor.address, at: moment, body)
    }

    func changeOperators<Value: Sendable>(
        _ origin: Origin, at address: String, at moment: Moment,
        _ body: @escaping @Sendable (OperatorChange, Transaction) throws -> Value
    ) async throws -> Value {
        let (value, events) = try await database.transact { [random] tx in
            let change = OperatorChange(origin: origin, address: address, moment: moment, random: random)
            return (try body(change, tx), change.events)
        }
        reporter.report(events)
        return value
    }

    /// Writes an audit line about somebody who was refused, and who need not be an operator.
    func noteRefusedOperator(named name: String, from visitor: OperatorVisitor) {
        reporter.audit.record(
            AuditLog.Entry(
                event: "operator.refused", app: nil, actor: .operator, address: visitor.address, transactionID: nil,
                subject: ["by": String(name.prefix(64))]))
    }
}

/// What happens to the people who use the console. Each has a record in the audit log (CON-11).
enum OperatorEvent: String, Sendable, Hashable, CaseIterable {
    case invited = "operator.invited"
    case enrolled = "operator.enrolled"
    case signedIn = "operator.signed-in"
    /// Signed in with a recovery code: the second factor is probably lost.
    case recoveryUsed = "operator.recovery-used"
    case passwordChanged = "operator.password-changed"
    case factorRenewed = "operator.factor-renewed"
    case recoveryCodesRenewed = "operator.recovery-codes-renewed"
    case factorReset = "operator.factor-reset"
    case sessionsEnded = "operator.sessions-ended"
    case preferencesSet = "operator.preferences-set"
    case granted = "operator.granted"
    case disabled = "operator.disabled"
    case enabled = "operator.enabled"
}
