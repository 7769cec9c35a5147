import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// An action whose form asks for a receiver of alerts.
protocol AlertReceiverForm: OperatorAction {
    var kind: AlertReceiver.Kind { get set }
    /// Nil for one that stays as it is.
    var address: String? { get set }
    var wish: AlertWish { get set }
    /// Whether there is an address already.
    static var mayKeepAddress: Bool { get }
}

extension Input where A: AlertReceiverForm {
    static var receiver: [Input] {
        [.address, .language, .least] + (AlertWish.kinds + AlertWish.serverKinds).map(verdict) + [.any, .quiet]
    }

    /// Slack's address lets everybody write who knows it, so it is a secret. Both names are asked for, whichever the form has.
    private static var address: Self {
        Input { action, _, _ in
            return [
                InputField(
                    name: action.kind.addressField,
                    label: Phrase("alerts.address.\(action.kind.rawValue)"),
                    kind: action.kind == .slack ? .secret : .text,
                    help: Phrase(
                        A.mayKeepAddress ? "alerts.address-kept" : "alerts.address.\(action.kind.rawValue)-help"),
                    isRequired: !A.mayKeepAddress && action.kind != .slack, limit: 1_024)
            ]
        } read: { action, values, _ in
            let (plain, secret) = (values.text("address"), values.text(AlertReceiver.Kind.slack.addressField))
            action.address = secret ?? plain
            // What is changed knows its kind when it is looked up.
            guard !A.mayKeepAddress else { return }
            guard let address = action.address, action.kind.takes(address) else {
                throw InputProblems([action.kind.addressField: action.kind.addressProblem])
            }
        }
    }

    private static var language: Self {
        Input { action, _, _ in
            let options = AlertWish.languages.map { InputField.Option(value: $0, label: Phrase("language.\($0)")) }
            return [
                InputField(
                    name: "language", label: "alerts.language", kind: .choice(options), value: action.wish.language)
            ]
        } read: { action, values, _ in
            guard let language = values.text("language"), AlertWish.languages.contains(language) else {
                throw InputProblems(["language": "problem.choice"])
            }
            action.wish.language = language
        }
    }

    private static var least: Self {
        Input { action, _, _ in
            let options = ["warn", "bad"].map { InputField.Option(value: $0, label: Phrase("alerts.least.\($0)")) }
            return [
                InputField(
                    name: "least", label: "alerts.least", kind: .choice(options),
                    value: action.wish.includesWarnings ? "warn" : "bad")
            ]
        } read: { action, values, _ in
            let value = values.text("least")
            guard value == "warn" || value == "bad" else { throw InputProblems(["least": "problem.choice"]) }
            action.wish.includesWarnings = value == "warn"
        }
    }

    private static func verdict(_ kind: AppVerdict.Kind) -> Self {
        let name = "verdict.\(kind.rawValue)"
        return Input { action, context, _ in
            guard context.mayChoose(kind) else { return [] }
            return [
                InputField(
                    name: name, label: Phrase("alerts.kind.\(kind.rawValue)"), kind: .check,
                    value: action.wish.verdicts.contains(kind) ? "on" : "")
            ]
        } read: { action, values, context in
            guard context.mayChoose(kind) else { return }
            if values.text(name) != nil {
                action.wish.verdicts.insert(kind)
            } else {
                action.wish.verdicts.remove(kind)
            }
        }
    }

    private static var any: Self {
        Input { action, _, _ in
            guard !action.wish.verdicts.isEmpty else {
                throw InputProblems(["verdict.\(AppVerdict.Kind.refused.rawValue)": "alerts.problem.none"])
            }
        }
    }

    /// Two hours of a day, or neither.
    private static var quiet: Self {
        Input { action, context, _ in
            let hours =
                [InputField.Option(value: "", label: "alerts.no-quiet")]
                + (0...23).map { InputField.Option(value: String($0), label: .hour($0)) }
            let quiet = action.wish.quiet
            return [
                InputField(
                    name: "quietFrom", label: "alerts.quiet-from", kind: .choice(hours),
                    value: quiet.map { String($0.from) } ?? ""),
                InputField(
                    name: "quietUntil", label: "alerts.quiet-until", kind: .choice(hours),
                    value: quiet.map { String($0.until) } ?? "",
                    help: Phrase("alerts.quiet-help", ["zone": .text(context.app.zone.name ?? "UTC")])),
            ]
        } read: { action, values, _ in
            let texts = ["quietFrom", "quietUntil"].map { values.text($0) }
            let hours = texts.map { $0.flatMap { Int($0) }.flatMap { (0...23).contains($0) ? $0 : nil } }
            guard texts.contains(where: { $0 != nil }) else { return action.wish.quiet = nil }
            guard let from = hours[0], let until = hours[1], from != until else {
                throw InputProblems(["quietUntil": "alerts.problem.quiet"])
            }
            action.wish.quiet = QuietHours(from: from, until: until)
        }
    }
}

extension Input {
    /// Which receiver it is, as the address says.
    static func receiverID(_ path: any WritableKeyPath<A, String> & Sendable) -> Self {
        Input { action, values, _ in
            action[keyPath: path] = String((values.text("receiver") ?? "").prefix(64))
        }
    }
}

extension AlertReceiver.Kind {
    /// Whether a text can be the address of such a receiver.
    func takes(_ text: String) -> Bool {
        guard text.utf8.count <= 1_024, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return false }
        switch self {
        // Whether an address of this machine may be called is for the server's settings to say, when it is.
        case .webhook, .slack: return OutgoingRequest.isAllowed(text)
        case .email:
            let parts = text.parts(at: "@", withEmpty: true)
            return text.utf8.count <= 254 && parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
                && !text.contains(where: { "<>()[]\\,;:\"".contains($0) })
        }
    }

    /// The field of the form that asks for its address.
    var addressField: String { self == .slack ? "secret." + "address" : "address" }

    var addressProblem: Phrase { self == .email ? "alerts.problem.email" : "alerts.problem.address" }

    /// What operators see of an address: no path, which may be a password.
    func hint(of address: String) -> String {
        switch self {
        case .email: address
        case .webhook: URLComponents(string: address)?.host ?? ""
        // A server may have several channels.
        case .slack: "\(URLComponents(string: address)?.host ?? "") …\(address.suffix(4))"
        }
    }
}

extension OperatorContext {
    fileprivate func mayChoose(_ kind: AppVerdict.Kind) -> Bool { !kind.isOfServer || actor.serverRole != nil }

    /// - Throws: ``ImpossibleAction`` if the app has no such receiver, or if it is told of a server on which the operator has no role.
    func alertReceiver(_ id: String, in tx: Reader) throws -> AlertReceiver {
        guard let receiver = try AlertQueries.receiver(id, of: app.id, in: tx) else {
            throw ImpossibleAction(phrase: "alerts.unknown", parameter: "receiver", isMissing: true)
        }
        guard actor.mayChange(receiver.wish) else {
            throw ImpossibleAction(phrase: "alerts.of-server", parameter: "receiver", isForbidden: true)
        }
        return receiver
    }

    /// What it means to have a receiver with these wishes.
    func consequences(of wish: AlertWish) -> [Phrase] {
        [
            wish.summary, Phrase("alerts.hours", ["hours": .phrase(wish.hours)]),
            Phrase("alerts.language-is", ["language": .language(wish.language)]),
        ]
    }
}

extension Actor {
    /// Whether the actor may say where such messages go: those about the server are for people with a role on it.
    package func mayChange(_ wish: AlertWish) -> Bool { !wish.isOfServer || serverRole != nil }

    /// - Throws: 5
    func requireChange(of wish: AlertWish) throws {
        guard mayChange(wish) else { throw Refusal(.userPermission) }
    }
}

extension Refusal {
    static var noAlertReceiver: Refusal { .parameter("receiver", "There is no such receiver.") }
}
