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
        let recorded = RecordedEvent(
            id: TimeOrderedID.entry(at: moment, random: random), name: EventName(event.rawValue), app: nil, user: nil,
            origin: origin, details: details, moment: moment)
        try AuditQueries.insert(AuditRecord(recorded), in: tx)
        recorder.events.append(recorded)
    }
}

extension Services {
    /// Changes operators, and records in the same transaction what was done. The audit lines follow the commit.
    func changeOperators<Value: Sendable>(
        by actor: Actor, at moment: Moment, _ body: @escaping @Sendable (OperatorChange, Transaction) throws -> Value
    ) async throws -> Value {
        guard let deed = actor.deed else { return try await changeOperators(actor.origin, at: "", at: moment, body) }
        let recorder = DeedRecorder(deed, by: actor, app: nil, at: moment, random: random)
        return try await changeOperators(actor.origin, at: deed.address, at: moment) { change, tx in
            try recorder.recording(in: tx) { try body(change, tx) }
        }
    }

    /// Lets a person change what is the person's own.
    func changeOperators<Value: Sendable>(
        by person: String, from visitor: OperatorVisitor, at moment: Moment,
        _ body: @escaping @Sendable (OperatorChange, Transaction) throws -> Value
    ) async throws -> Value {
        let origin = Origin(actor: .operator, door: .console, name: person)
        return try await changeOperators(origin, at: visitor.address, at: moment, body)
    }

    private func changeOperators<Value: Sendable>(
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
