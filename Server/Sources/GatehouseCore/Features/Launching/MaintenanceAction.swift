import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// An action with a form about a maintenance window.
protocol MaintenanceAction: OperatorAction {
    var form: MaintenanceForm { get set }

    /// The window that is changed.
    ///
    /// - Throws: what there must not be, or must be.
    func changed(_ view: OperatorView) throws -> App.MaintenanceWindow?
}

extension MaintenanceAction {
    static var windowInputs: [Input<Self>] {
        [
            Input { action, values, _ in
                action.form.equalTimes = ["begin": values.moments("begin"), "end": values.moments("end")]
            },
            Input { action, view, _ in
                action.form.timeFields(view)
            } read: { action, values, view in
                try action.form.readTimes(values, since: action.changed(view), at: view.moment)
            },
            .texts(
                "message", \.form.message, help: "maintenance.text-help", defaultHelp: "maintenance.text-default"),
            .page("url", \.form.url, help: "maintenance.url-help"),
            .text("reason-word", \.form.reason, bytes: 64, limit: 64, help: "maintenance.reason-help"),
        ]
    }

    func preview(
        of window: App.MaintenanceWindow, from old: App.MaintenanceWindow? = nil, undo: Phrase, _ view: OperatorView,
        in tx: Reader
    ) throws -> Preview {
        var draft = view.view.app
        draft.maintenance = window
        let length = window.end.milliseconds &- window.begin.milliseconds
        var sentences = [
            Phrase(
                "maintenance.what",
                [
                    "begin": .moment(window.begin), "end": .moment(window.end),
                    "length": .length(seconds: length / 1_000), "in": .distance(window.begin),
                ])
        ]
        if let old, old.end != window.end {
            sentences.append(Phrase("maintenance.moved", ["before": .moment(old.end)]))
        }
        if !draft.status.isPlayable { sentences.append("maintenance.closed-anyway") }
        sentences += try view.closedSentences(in: tx) + ["maintenance.after"]
        var preview = Preview(Phrase("\(Self.about.name)-title"), sentences, undo: undo)
        preview.playerReads = view.readings(of: draft, at: window.begin)
        return preview
    }
}

extension Viewpoint {
    /// The window that is open or planned.
    var maintenance: App.MaintenanceWindow? { app.maintenance.flatMap { $0.end > moment ? $0 : nil } }

    func requireMaintenance() throws -> App.MaintenanceWindow {
        guard let maintenance else { throw ImpossibleAction(phrase: "maintenance.none", parameter: "maintenance") }
        return maintenance
    }
}
