import GatehousePlatform
import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// Adds somebody who is told when a verdict about the app begins and ends.
package struct AddAlertReceiver: AlertReceiverForm {
    package static let about = OperatorActionAbout(
        "alert-receiver.added", role: .operator, step: .confirmed, section: "alerts", subject: .alertReceivers)
    package static let inputs: [Input<Self>] =
        [
            Input { action, values, _ in
                action.kind = values.text("kind").flatMap { .init(rawValue: $0) } ?? action.kind
            }
        ] + Input.receiver
    static let mayKeepAddress = false

    var kind = AlertReceiver.Kind.webhook
    var address: String?
    var wish = AlertWish()

    package init(on target: DeedTarget) {}

    init(_ kind: AlertReceiver.Kind, at address: String, wish: AlertWish = AlertWish()) {
        (self.kind, self.address, self.wish) = (kind, address, wish)
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        guard try AlertQueries.receivers(of: view.app, in: tx).count < AlertRules.mostReceivers else {
            throw ImpossibleAction(phrase: "alerts.too-many", parameter: "receiver")
        }
        var preview = Preview(
            Phrase("alerts.add-title", ["place": .text(kind.hint(of: address ?? ""))]),
            view.consequences(of: wish) + ["alerts.add-now"], undo: "alerts.add-undo")
        if kind == .webhook { preview.consequences.append("alerts.add-secret") }
        return preview
    }

    /// The secret of a webhook's signatures, which is returned only here; nil for another kind.
    package func perform(_ work: Work) async throws -> String? {
        try work.actor.requireChange(of: wish)
        return try await work.transact { [self] change, tx in
            guard try AlertQueries.receivers(of: change.app.id, in: tx).count < AlertRules.mostReceivers else {
                throw Refusal.parameter(
                    "receiver", "An app has at most \(AlertRules.mostReceivers) receivers of alerts.")
            }
            guard let address, kind.takes(address) else {
                throw Refusal.parameter("address", "The receiver's address is none of its kind.")
            }
            let receiver = AlertReceiver(
                app: change.app.id, id: TimeOrderedID.entry(at: change.moment, random: change.random), kind: kind,
                hint: kind.hint(of: address), wish: wish)
            let secret = kind == .webhook ? WebhookSignature.secret(random: change.random) : nil
            try AlertQueries.insert(
                receiver,
                sealed: AlertAddress(address: address, secret: secret).sealed(for: receiver, vault: change.vault),
                at: change.moment, in: tx)
            try change.record(.alertReceiverAdded, ["receiver": receiver.id, "kind": kind.rawValue], in: tx)
            return secret
        }
    }

    package static func result(_ secret: String?) -> ActionResult {
        var result = ActionResult()
        if let secret { result.secrets = [("alerts.secret", secret)] }
        return result
    }
}
