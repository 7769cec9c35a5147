import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Removes a receiver of alerts, with what it has been told.
package struct RemoveAlertReceiver: OperatorAction {
    package static let about = OperatorActionAbout(
        "alert-receiver.removed", role: .operator, step: .confirmed, section: "alerts", subject: .alertReceivers)
    package static let inputs: [Input<Self>] = [.receiverID(\.id)]

    var id = ""

    package init(on target: DeedTarget) {}

    init(id: String) { self.id = id }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let receiver = try view.alertReceiver(id, in: tx)
        return Preview(
            Phrase("alerts.remove-title", ["place": .text(receiver.hint)]), ["alerts.remove-what"],
            undo: "alerts.remove-undo")
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transact { [id, actor = work.actor] change, tx in
            _ = try AlertRules.receiver(id, for: actor, change, in: tx)
            guard try AlertQueries.delete(id, of: change.app.id, in: tx) else { throw Refusal.noAlertReceiver }
            try change.record(.alertReceiverRemoved, ["receiver": id], in: tx)
            return Empty()
        }
    }
}
