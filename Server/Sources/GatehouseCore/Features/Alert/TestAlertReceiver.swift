import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Sends a message to a receiver, so that somebody sees that messages arrive. It is sent at any hour, once.
package struct TestAlertReceiver: OperatorAction {
    package static let about = OperatorActionAbout(
        "alert-receiver.tested", role: .operator, step: .plain, section: "alerts", subject: .alertReceivers)
    package static let inputs: [Input<Self>] = [.receiverID(\.id)]

    var id = ""

    package init(on target: DeedTarget) {}

    init(id: String) { self.id = id }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let receiver = try view.alertReceiver(id, in: tx)
        return Preview(
            Phrase("alerts.test-title", ["place": .text(receiver.hint)]), ["alerts.test-what"], undo: "alerts.test-undo"
        )
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transact { [id, actor = work.actor] change, tx in
            let receiver = try AlertRules.receiver(id, for: actor, change, in: tx)
            let notice = AlertNotice(
                app: change.app, content: .test, moment: change.moment, language: receiver.wish.language)
            try AlertRules.add(notice, to: receiver, nil, change, in: tx)
            try change.record(.alertReceiverTested, ["receiver": id], in: tx)
            return Empty()
        }
    }
}
