import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Sets an app's status, and what players read about it, by language.
package struct SetStatus: OperatorAction {
    package static let about = OperatorActionAbout(
        "status.set", role: .operator, step: .confirmed, section: "launching", subject: .app, undo: SetStatus.self)
    package static let inputs: [Input<Self>] = [.earlier(\.earlier), statusInput, .texts("message", \.message)]

    /// The statuses that an operator can choose. That of a service that has ended is an owner's (``TerminateService``).
    private static let choices = LaunchingStatus.named.map(\.status).filter { $0 != .terminated }

    private static let statusInput = Input<Self> { action, _, _ in
        [
            InputField(
                name: "status", label: "launching.status",
                kind: .choice(choices.map { .init(value: String($0.rawValue), label: .status($0)) }),
                value: String(action.status.rawValue), help: "status.help")
        ]
    } read: { action, values, _ in
        guard let chosen = choices.first(where: { String($0.rawValue) == values.text("status") }) else {
            throw InputProblems(["status": "problem.choice"])
        }
        action.status = chosen
    }

    /// The id of an earlier change that this one takes back.
    private var earlier: String?
    private var status: LaunchingStatus
    private var message: [String: String]

    package init(status: LaunchingStatus, message: [String: String]) {
        self.status = status
        self.message = message
    }

    package init(on target: ActionTarget) {
        self.init(status: .inService, message: [:])
    }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        let (app, before) = (context.app, try context.earlier(earlier, in: tx)?.before)
        status = before?.values["status"].flatMap { Int($0) }.map { LaunchingStatus(rawValue: $0) } ?? app.status
        message = before?.texts("statusMessage.") ?? app.statusMessage.texts
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let app = context.app
        let draft = draft(of: app)
        guard draft != app else { throw InputProblems(["status": "problem.no-change"]) }
        let what = Phrase(
            "status.what", ["before": .phrase(.status(app.status)), "after": .phrase(.status(status))])
        var preview = Preview(
            Phrase("status.title", ["status": .phrase(.status(status))]),
            [what, "status.when"] + (status.isPlayable ? ["status.open"] : try context.closedSentences(in: tx)),
            undo: "status.undo")
        preview.isDangerous = !status.isPlayable
        preview.playerReads = context.readings(of: draft)
        return preview
    }

    /// The app after the change.
    func draft(of app: App) -> App {
        var app = app
        app.status = status
        app.statusMessage = LocalizedText(message)
        return app
    }

    private var isEnd: Bool { status == .terminated }

    package var audited: AuditedRun? {
        AuditedRun(isEnd ? TerminateService.about.name : Self.about.name, on: subject)
    }

    package func perform(_ work: Work) async throws {
        try await work.changeApp(isEnd ? .serviceTerminated : .statusSet) { app, _ in app = draft(of: app) }
    }
}

/// Sets the status of a service that has ended.
package struct TerminateService: OperatorAction {
    package static let about = OperatorActionAbout(
        "status.terminated", role: .owner, step: .typed, section: "launching", subject: .app, undo: SetStatus.self)
    package static let inputs: [Input<Self>] = [.texts("message", \.message)]

    private var message: [String: String] = [:]

    package init(on target: ActionTarget) {}

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        message = context.app.statusMessage.texts
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let app = context.app
        var preview = Preview(
            Phrase("terminate.title", ["name": .text(app.name)]),
            ["terminate.what", "status.when"] + (try context.closedSentences(in: tx)), undo: "status.undo")
        preview.isDangerous = true
        preview.playerReads = context.readings(of: change.draft(of: app))
        preview.typed = app.id.rawValue
        return preview
    }

    private var change: SetStatus { SetStatus(status: .terminated, message: message) }

    package func perform(_ work: Work) async throws {
        try await work.changeApp(.serviceTerminated) { app, _ in app = change.draft(of: app) }
    }
}

/// What an operator is told before players get something else.
extension OperatorContext {
    /// What players read in each language after a change that is not made yet.
    ///
    /// - Parameters:
    ///   - draft: the app after the change.
    ///   - moment: nil for now.
    ///   - client: what the player's device says of itself; nil for one that says nothing.
    func readings(
        of draft: App, at moment: Moment? = nil, client: ClientInformation? = nil
    ) -> [(language: String, text: String)] {
        draft.playerLanguages(after: formLanguages).compactMap { language in
            let call = CallContext(
                app: draft, languages: [language], moment: moment ?? self.moment, clientHeader: client?.headerValue)
            return PreviewLaunching.outcome(call).message.map { (language, $0) }
        }
    }

    /// What it means that nobody can log in.
    func closedSentences(in tx: Reader) throws -> [Phrase] {
        let devices = try AppQueries.testDevices(of: app.id, in: tx).count
        return [
            "launching.logins-refused", "launching.sessions-stay",
            Phrase("launching.devices-pass", ["count": .count(devices)]),
        ]
    }
}

extension App {
    /// The languages for which a text can be different: those of the forms, those of the texts, and the default.
    package func playerLanguages(after formLanguages: [String]) -> [String] {
        let texts =
            Array(statusMessage.texts.keys) + Array(maintenance?.message.texts.keys ?? [:].keys)
            + clientRules.flatMap(\.message.texts.keys)
        let others = Set(texts + [defaultLanguage]).subtracting(formLanguages).sorted()
        return formLanguages + others.prefix(29)
    }
}

extension Phrase {
    /// An app's status in words.
    static func status(_ status: LaunchingStatus) -> Phrase {
        LaunchingStatus.named.contains { $0.status == status }
            ? Phrase("status.\(status.rawValue)") : .verbatim(String(status.rawValue))
    }
}
