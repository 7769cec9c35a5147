import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// What an operator has confirmed in the console. ``ConfirmationRecorder`` records it like what comes through any other door, once for each page.
package struct ActionConfirmation: Sendable, Hashable {
    /// The name in the audit, such as `member.banned`.
    package let action: String
    package let target: ActionTarget
    package let person: OperatorID
    package let ticket: String?
    /// Identifies the page that was sent. However often it is sent, it counts once.
    package let once: String
    /// The target's state that the page has shown (``TargetState/version``); nil if it does not matter.
    package let seen: String?
    /// The session in which the page was sent. It must still be there when the change is made; nil for one without a session.
    package var session: String?
    /// Where the person is, and the call's transaction.
    package var address = ""
    package var transactionID = ""

    package init(
        action: String, target: ActionTarget, person: OperatorID, ticket: String?, once: String, seen: String?
    ) {
        self.action = action
        self.target = target
        self.person = person
        self.ticket = ticket
        self.once = once
        self.seen = seen
    }
}

/// What an action is about.
package enum ActionTarget: Sendable, Hashable {
    case member(UserID)
    /// The app's own settings.
    case app
    case provider(Provider)
    case banTemplate(Int)
    case reply(Int)
    case testDevice(KeyThumbprint)
    /// The app's rules by client, whose order counts.
    case clientRules
    /// The app's keys that sign access tokens.
    case signingKeys
    /// The app's secret keys.
    case secrets
    /// Several members at once.
    case members([UserID])
    case job(String)
    /// Who is told of the app's verdicts.
    case alertReceivers
    /// The systems from which the app's players may come.
    case legacySources
    /// The app's imports of players.
    case imports
    /// A person who uses the console, by name. It belongs to no app.
    case person(String)
    /// An app that is about to be made. It is not there yet, so that the action belongs to no app.
    case newApp(AppID)
    /// The server itself, such as its master key. It belongs to no app.
    case server

    /// The form in the audit.
    package var text: String {
        switch self {
        case .member(let user): "member \(user)"
        case .app: "app"
        case .provider(let provider): "provider \(provider)"
        case .banTemplate(let code): "ban-template \(code)"
        case .reply(let id): "reply \(id)"
        case .testDevice(let key): "test-device \(key)"
        case .clientRules: "client-rules"
        case .signingKeys: "signing-keys"
        case .secrets: "secrets"
        case .members(let users): "members \(users.count)"
        case .job(let id): "job \(id)"
        case .alertReceivers: "alert-receivers"
        case .legacySources: "legacy-sources"
        case .imports: "imports"
        case .person(let name): "operator \(name)"
        case .newApp(let id): "new-app \(id)"
        case .server: "server"
        }
    }

    package init?(_ text: String) {
        let parts = text.parts(at: " ", atMost: 2).map(String.init)
        switch (parts.first, parts.dropFirst().first) {
        case ("member", let user?): self = .member(UserID(user))
        case ("app", nil): self = .app
        case ("provider", let provider?): self = .provider(Provider(provider))
        case ("ban-template", let code?):
            guard let code = Int(code) else { return nil }
            self = .banTemplate(code)
        case ("reply", let text?):
            guard let id = Int(text) else { return nil }
            self = .reply(id)
        case ("test-device", let key?): self = .testDevice(KeyThumbprint(key))
        case ("client-rules", nil): self = .clientRules
        case ("signing-keys", nil): self = .signingKeys
        case ("secrets", nil): self = .secrets
        case ("job", let id?): self = .job(id)
        case ("alert-receivers", nil): self = .alertReceivers
        case ("legacy-sources", nil): self = .legacySources
        case ("imports", nil): self = .imports
        case ("operator", let name?): self = .person(name)
        case ("new-app", let id?): self = .newApp(AppID(id))
        case ("server", nil): self = .server
        default: return nil
        }
    }
}

/// Why an action was not done.
package enum ConfirmationFailure: Error, Sendable {
    /// The same page was sent before: this is what came of it.
    case repeated(OperatorRecord)
    /// The target has changed since the page was made.
    case stale(now: TargetState)
}

/// The state of a target: names and values as the audit shows them, without secrets and without what identifies a person elsewhere.
package struct TargetState: Codable, Sendable, Hashable {
    package var values: [String: String]

    package init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// A short text that changes with the state.
    package var version: String {
        let text = values.sorted { $0.key < $1.key }.map { "\($0.key)\u{1}\($0.value)" }.joined(separator: "\u{2}")
        return Base64URL.encode(OperatorRules.hash(of: text).prefix(12))
    }

    /// What differs: the names, with the value before and after.
    package func difference(to other: TargetState) -> [(name: String, before: String?, after: String?)] {
        Set(values.keys).union(other.values.keys).sorted().compactMap { name in
            let (before, after) = (values[name], other.values[name])
            return before == after ? nil : (name, before, after)
        }
    }
}

/// One row of the operators' audit.
package struct OperatorRecord: Sendable, Hashable {
    /// The id of the record in the audit log, but for rows of 0.6.0 and before. Ids sort in chronological order.
    package let id: String
    package let app: AppID?
    /// Empty for what was not done in the console.
    package let person: OperatorID
    package let personName: String
    /// Nil for what was not done in the console, because roles are the console's.
    package let role: OperatorRole?
    package let action: String
    package let target: String
    package let reason: String
    package let ticket: String?
    package let before: TargetState?
    package let after: TargetState?
    package let transactionID: String
    package let address: String
    package let date: Moment
    package var door = Origin.Door.console

    /// What ``ActionConfirmation/once`` begins with where another action was undone with one press. The id of that follows.
    package static let undoMark = "undo-"

    /// The record without what a member's history does not say.
    var asInHistory: OperatorRecord {
        OperatorRecord(
            id: id, app: app, person: OperatorID(""), personName: personName, role: role, action: action,
            target: target, reason: reason, ticket: nil, before: nil, after: nil, transactionID: "", address: "",
            date: date, door: door)
    }

    /// The record without who has done it, and why.
    var withoutPerson: OperatorRecord {
        OperatorRecord(
            id: id, app: app, person: OperatorID(""), personName: "–", role: role, action: action, target: target,
            reason: "–", ticket: nil, before: before, after: after, transactionID: "", address: "", date: date,
            door: door)
    }
}
