import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Changes of what a receiver is told, when and where, or switches it off and on.
package struct ChangeAlertReceiver: AlertReceiverForm {
    package static let about = OperatorActionAbout(
        "alert-receiver.changed", role: .operator, step: .confirmed, section: "alerts", subject: .alertReceivers)
    package static let inputs: [Input<Self>] = [.receiverID(\.id)] + Input.receiver + [.onOff]
    static let mayKeepAddress = true

    var id = ""
    var kind = AlertReceiver.Kind.webhook
    var address: String?
    var wish = AlertWish()

    package init(on target: DeedTarget) {}

    init(id: String, wish: AlertWish, address: String? = nil) {
        (self.id, self.wish, self.address) = (id, wish, address)
    }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        let receiver = try view.alertReceiver(id, in: tx)
        (kind, wish) = (receiver.kind, receiver.wish)
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let receiver = try view.alertReceiver(id, in: tx)
        if let address, !receiver.kind.takes(address) {
            throw InputProblems([receiver.kind.addressField: receiver.kind.addressProblem])
        }
        guard receiver.wish != wish || address != nil else { throw InputProblems(["language": "problem.no-change"]) }
        let place = address.map(receiver.kind.hint) ?? receiver.hint
        return Preview(
            Phrase("alerts.change-title", ["place": .text(receiver.hint)]),
            (place == receiver.hint ? [] : [Phrase("alerts.moves", ["place": .text(place)])])
                + (wish.isOn ? view.consequences(of: wish) : ["alerts.off-what"]), undo: "alerts.change-undo")
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transact { [id, wish, address, actor = work.actor] change, tx in
            var receiver = try AlertRules.receiver(id, for: actor, change, in: tx)
            try actor.requireChange(of: wish)
            receiver.wish = wish
            var sealed: [UInt8]?
            if let address {
                guard receiver.kind.takes(address) else {
                    throw Refusal.parameter("address", "The receiver's address is none of its kind.")
                }
                var place = AlertAddress(address: address)
                if receiver.kind == .webhook {
                    // The secret stays. One that can't be read any more is lost, and its receiver has to be added again.
                    guard let old = try AlertQueries.address(of: id, of: change.app.id, in: tx),
                        let known = try? AlertAddress.open(old, of: receiver, vault: change.vault)
                    else { throw Refusal.parameter("receiver", "The receiver's secret is lost: add it again.") }
                    place.secret = known.secret
                }
                receiver.hint = receiver.kind.hint(of: address)
                sealed = try place.sealed(for: receiver, vault: change.vault)
            }
            guard try AlertQueries.update(receiver, sealed: sealed, in: tx) else { throw Refusal.noAlertReceiver }
            // Who is switched on again is told of what holds then, and not of ends in the meantime.
            if !wish.isOn { try AlertQueries.forget(id, of: change.app.id, in: tx) }
            try change.record(.alertReceiverChanged, ["receiver": id], in: tx)
            return Empty()
        }
    }
}

extension Input<ChangeAlertReceiver> {
    fileprivate static var onOff: Self {
        Input { action, _, _ in
            let options = ["on", "off"].map { InputField.Option(value: $0, label: Phrase("setting.\($0)")) }
            return [
                InputField(
                    name: "on", label: "alerts.on", kind: .choice(options), value: action.wish.isOn ? "on" : "off")
            ]
        } read: { action, values, _ in
            let value = values.text("on")
            guard value == "on" || value == "off" else { throw InputProblems(["on": "problem.choice"]) }
            action.wish.isOn = value == "on"
        }
    }
}
