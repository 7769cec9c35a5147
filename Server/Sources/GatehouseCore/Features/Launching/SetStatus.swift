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

    package init(on target: DeedTarget) {
        self.init(status: .inService, message: [:])
    }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        let (app, before) = (view.view.app, try view.earlier(earlier, in: tx)?.before)
        status = before?.values["status"].flatMap { Int($0) }.map { LaunchingStatus(rawValue: $0) } ?? app.status
        message = before?.texts("statusMessage.") ?? app.statusMessage.texts
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let app = view.view.app
        let draft = draft(of: app)
        guard draft != app else { throw InputProblems(["status": "problem.no-change"]) }
        let what = Phrase(
            "status.what", ["before": .phrase(.status(app.status)), "after": .phrase(.status(status))])
        var preview = Preview(
            Phrase("status.title", ["status": .phrase(.status(status))]),
            [what, "status.when"] + (status.isPlayable ? ["status.open"] : try view.closedSentences(in: tx)),
            undo: "status.undo")
        preview.isDangerous = !status.isPlayable
        preview.playerReads = view.readings(of: draft)
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
