import GatehousePlatform
import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

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

    package init(on target: ActionTarget) {}

    init(_ kind: AlertReceiver.Kind, at address: String, wish: AlertWish = AlertWish()) {
        (self.kind, self.address, self.wish) = (kind, address, wish)
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        guard try AlertQueries.receivers(of: context.app.id, in: tx).count < AlertRules.mostReceivers else {
            throw ImpossibleAction(phrase: "alerts.too-many", parameter: "receiver")
        }
        var preview = Preview(
            Phrase("alerts.add-title", ["place": .text(kind.hint(of: address ?? ""))]),
            context.consequences(of: wish) + ["alerts.add-now"], undo: "alerts.add-undo")
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

    package init(on target: ActionTarget) {}

    init(id: String, wish: AlertWish, address: String? = nil) {
        (self.id, self.wish, self.address) = (id, wish, address)
    }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        let receiver = try context.alertReceiver(id, in: tx)
        (kind, wish) = (receiver.kind, receiver.wish)
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let receiver = try context.alertReceiver(id, in: tx)
        if let address, !receiver.kind.takes(address) {
            throw InputProblems([receiver.kind.addressField: receiver.kind.addressProblem])
        }
        guard receiver.wish != wish || address != nil else { throw InputProblems(["language": "problem.no-change"]) }
        let place = address.map(receiver.kind.hint) ?? receiver.hint
        return Preview(
            Phrase("alerts.change-title", ["place": .text(receiver.hint)]),
            (place == receiver.hint ? [] : [Phrase("alerts.moves", ["place": .text(place)])])
                + (wish.isOn ? context.consequences(of: wish) : ["alerts.off-what"]), undo: "alerts.change-undo")
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

/// Removes a receiver of alerts, with what it has been told.
package struct RemoveAlertReceiver: OperatorAction {
    package static let about = OperatorActionAbout(
        "alert-receiver.removed", role: .operator, step: .confirmed, section: "alerts", subject: .alertReceivers)
    package static let inputs: [Input<Self>] = [.receiverID(\.id)]

    var id = ""

    package init(on target: ActionTarget) {}

    init(id: String) { self.id = id }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let receiver = try context.alertReceiver(id, in: tx)
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

/// Sends a message to a receiver, so that somebody sees that messages arrive. It is sent at any hour, once.
package struct TestAlertReceiver: OperatorAction {
    package static let about = OperatorActionAbout(
        "alert-receiver.tested", role: .operator, step: .plain, section: "alerts", subject: .alertReceivers)
    package static let inputs: [Input<Self>] = [.receiverID(\.id)]

    var id = ""

    package init(on target: ActionTarget) {}

    init(id: String) { self.id = id }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let receiver = try context.alertReceiver(id, in: tx)
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

extension AlertReceiver {
    /// The least role that sees receivers.
    package static let role = OperatorRole.operator
}

extension UseCase where Self == Read<[AlertReceiver]> {
    /// Who is told of an app's verdicts, oldest first.
    package static var alertReceivers: Self {
        Read(as: AlertReceiver.role) { context, tx in try AlertQueries.receivers(of: context.app.id, in: tx) }
    }
}
