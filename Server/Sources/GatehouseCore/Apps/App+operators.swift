package import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

/// Creates an app with its first secret key, which is returned only here.
package struct CreateApp: OperatorAction {
    package static let about = OperatorActionAbout(
        "app.created", role: .owner, step: .fresh, section: "apps", subject: .newApp)
    package static let inputs: [Input<Self>] = [.newName, .newID]

    let id: AppID
    fileprivate(set) var name = ""
    /// Whether an id was typed, also one that no app can have.
    fileprivate var isNamed = true
    private var details: [String: String] = [:]
    private var fill: @Sendable (Change, Transaction) throws -> Void = { _, _ in }

    package init(on target: ActionTarget) throws {
        guard case .newApp(let id) = target else { throw Refusal.parameter("appId", "The action is about a new app.") }
        self.id = id
    }

    package init(id: AppID, name: String) {
        self.id = id
        self.name = name
    }

    /// - Parameters:
    ///   - details: what the audit log says of it.
    ///   - fill: gives the app its settings, in the transaction in which it is made.
    init(
        id: AppID, name: String, details: [String: String],
        fill: @escaping @Sendable (Change, Transaction) throws -> Void
    ) {
        self.init(id: id, name: name)
        self.details = details
        self.fill = fill
    }

    package var subject: ActionTarget { .newApp(id) }

    /// Without an id that was typed, one that is free is made of the name.
    package static var choosing: (@Sendable (CreateApp, Reader) throws -> [String: String])? {
        { action, tx in
            guard !action.isNamed, !action.name.isEmpty else { return [:] }
            let taken = Set(try AppQueries.apps(in: tx).map(\.id))
            return ["appId": AppID.suggested(for: action.name, besides: taken).rawValue]
        }
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        var problems = InputProblems()
        if !AppRules.isID(id) { problems.phrases["appId"] = "apps.id-problem" }
        if !AppRules.isName(name) { problems.phrases["name"] = "apps.name-problem" }
        if try AppQueries.app(id, in: tx) != nil { problems.phrases["appId"] = "apps.id-taken" }
        guard problems.phrases.isEmpty else { throw problems }
        return Preview(
            Phrase("apps.create-title", ["name": .text(name)]),
            [Phrase("apps.create-what", ["id": .text(id.rawValue)]), "apps.create-key", "secrets.shown-once"],
            undo: "apps.create-undo")
    }

    package struct Outcome: Sendable {
        package let id: AppID
        package let secret: SecretKey
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let (random, vault, moment) = (work.services.random, work.services.vault, work.moment)
        let (observer, origin) = (work.observer, work.actor.origin)
        let (secret, pending) = try await work.services.database.transact { tx in
            func create() throws -> (value: SecretKey, change: Change) {
                let (app, secret) = try AppRules.create(
                    id, name: name, vault: vault, at: moment, random: random, in: tx)
                let change = Change(
                    CallContext(app: app, moment: moment), by: origin, random: random, vault: vault)
                try change.record(.created, details, in: tx)
                try fill(change, tx)
                return (secret, change)
            }
            let (secret, change) = try observer?.observing(in: tx, create) ?? create()
            return (secret, change.pending)
        }
        work.services.report(pending)
        return Outcome(id: id, secret: secret)
    }

    package static func result(_ outcome: Outcome) -> ActionResult {
        var result = ActionResult(
            secrets: [("apps.id", outcome.id.rawValue), ("secrets.key", outcome.secret.secretValue)])
        result.app = outcome.id
        return result
    }
}

extension Input where A == CreateApp {
    fileprivate static var newName: Self {
        Input { action, _, _ in
            [
                InputField(
                    name: "name", label: "apps.name", kind: .text, value: action.name, help: "apps.name-help",
                    isRequired: true, limit: 100)
            ]
        } read: { action, values, _ in
            action.name = values.text("name") ?? ""
        }
    }

    /// The id, which is what the action is about.
    fileprivate static var newID: Self {
        Input { action, _, _ in
            [
                InputField(
                    name: "appId", label: "apps.id", kind: .text, value: action.id.rawValue, help: "apps.id-help",
                    limit: 32)
            ]
        } read: { action, values, _ in
            action.isNamed = values.text("appId") != nil
        }
    }
}

extension AppID {
    /// An id for an app with this name: its Latin letters and digits, and a number if there is such an app.
    package static func suggested(for name: String, besides taken: Set<AppID>) -> AppID {
        var letters: [UInt8] = []
        for byte in name.utf8.prefix(AppRules.nameBytes) where letters.count < 24 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): letters.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): letters.append(byte + 32)
            default: if let last = letters.last, last != UInt8(ascii: "-") { letters.append(UInt8(ascii: "-")) }
            }
        }
        if letters.last == UInt8(ascii: "-") { letters.removeLast() }
        let base = letters.isEmpty ? "game" : String(decoding: letters, as: UTF8.self)
        // There is one number more than there are apps, so one of them is free.
        let ids = [AppID(base)] + (2...(taken.count + 2)).map { AppID("\(base)-\($0)") }
        return ids.first { !taken.contains($0) } ?? AppID(base)
    }
}

/// Gives an app another name. Its id stays, because games and game servers have it.
package struct RenameApp: OperatorAction {
    package static let about = OperatorActionAbout(
        "app.renamed", role: .owner, step: .confirmed, section: "start", subject: .app, undo: RenameApp.self)
    package static let inputs: [Input<Self>] = [
        .earlier(\.earlier),
        .text("name", \.name, bytes: AppRules.nameBytes, limit: 100, label: "apps.name", help: "apps.name-help"),
    ]

    /// The id of an earlier change that this one takes back.
    private var earlier: String?
    private var name: String?

    package init(on target: ActionTarget) {}

    package init(to name: String) {
        self.name = name
    }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        name = try context.earlier(earlier, in: tx)?.before?.values["name"] ?? context.app.name
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        guard let name, AppRules.isName(name) else { throw InputProblems(["name": "apps.name-problem"]) }
        let former = context.app.name
        guard name != former else { throw InputProblems(["name": "problem.nothing-changed"]) }
        return Preview(
            Phrase("apps.rename-title", ["name": .text(former), "new": .text(name)]),
            [Phrase("apps.rename-what", ["app": .text(context.app.id.rawValue)])], undo: "setting.undo")
    }

    package func perform(_ work: Work) async throws -> App {
        guard let name, AppRules.isName(name) else {
            throw Refusal.parameter("name", "An app's name has 1 to 100 characters, and no control characters.")
        }
        return try await work.changeApp(.renamed) { app, _ in app.name = name }
    }
}

/// Lists the apps, each with its status now.
package struct ListApps: ServerAction {
    package static let role: OperatorRole? = nil

    package init() {}

    package func perform(
        _ services: Services, by actor: Actor, at moment: Moment
    ) async throws -> [(id: AppID, status: LaunchingStatus, name: String)] {
        try await services.database.read { tx in try AppQueries.apps(in: tx) }
            .map { ($0.id, $0.currentStatus(at: moment), $0.name) }
    }
}

/// Reads an app as it is now.
package struct ReadApp: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package init() {}

    package func perform(_ work: Work) async throws -> App { work.app }
}

package struct ListTestDevices: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package init() {}

    package func perform(_ work: Work) async throws -> [TestDevice] {
        let app = work.app.id
        return try await work.services.database.read { tx in try AppQueries.testDevices(of: app, in: tx) }
    }
}
