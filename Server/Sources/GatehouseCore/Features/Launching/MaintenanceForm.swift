import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What a form says about a maintenance window.
struct MaintenanceForm: Sendable {
    /// Nil for a window that begins now.
    var begin: Moment?
    var end: Moment?
    var message: [String: String] = [:]
    var url: String?
    var reason: String?
    /// The two moments of a typed time, by its field, when the clocks are set back.
    var equalTimes: [String: [Moment]] = [:]

    init() {}

    init(_ window: App.MaintenanceWindow) {
        (begin, end) = (window.begin, window.end)
        (message, url, reason) = (window.message.texts, window.url, window.reason)
    }

    /// The window; nil for a form that is not filled in.
    var window: App.MaintenanceWindow? {
        guard let begin, let end else { return nil }
        return App.MaintenanceWindow(
            begin: begin, end: end, message: LocalizedText(message), url: url, reason: reason)
    }

    /// Shows another window, and asks about the same times.
    mutating func show(_ other: MaintenanceForm) {
        let equalTimes = equalTimes
        self = other
        self.equalTimes = equalTimes
    }

    /// The fields of the times, with those that ask which of two equal hours is meant.
    func timeFields(_ context: OperatorContext) -> [InputField] {
        let zone = ["zone": Phrase.Value.zone(context.moment)]
        var first = InputField.setting("begin", .time, help: Phrase("maintenance.begin-help", zone))
        first.moment = begin
        var second = InputField.setting("end", .time, help: Phrase("time.zone-help", zone), isRequired: true)
        second.moment = end
        return [first, second].flatMap { field in
            guard let times = equalTimes[field.name], times.count == 2 else { return [field] }
            let options = zip(["first", "second"], times).map { name, time in
                InputField.Option(
                    value: name, label: Phrase("maintenance.which-time", ["time": .universal(time)]))
            }
            return [
                field,
                InputField(
                    name: "\(field.name)-which", label: "maintenance.which",
                    kind: .choice([.init(value: "", label: "maintenance.choose")] + options),
                    help: "maintenance.which-help"),
            ]
        }
    }

    /// Reads the times.
    ///
    /// - Parameter old: the window that is changed. Its beginning may be over.
    mutating func readTimes(
        _ values: InputValues, since old: App.MaintenanceWindow?, at moment: Moment
    ) throws {
        var problems = InputProblems()
        func time(_ name: String) -> Moment? {
            do { return try values.meantMoment(name) } catch let found as InputProblems {
                problems.phrases.merge(found.phrases) { $1 }
            } catch {}
            return nil
        }
        if let old, keepsBegin(of: old, values, at: moment) {
            begin = old.begin
        } else {
            let typed = time("begin")
            // A form has whole minutes, so a beginning in this minute is now.
            if let typed, typed.adding(seconds: 60) <= moment { problems.phrases["begin"] = "problem.past" }
            begin = max(typed ?? moment, moment)
        }
        end = time("end")
        if values.text("end") == nil { problems.phrases["end"] = "problem.time.notATime" }
        if let end, end <= moment {
            problems.phrases["end"] = "problem.past"
        } else if let end, let begin, end <= begin {
            problems.phrases["end"] = "maintenance.order"
        }
        guard problems.phrases.isEmpty else { throw problems }
    }

    /// A window that is open keeps its beginning unless another one is typed.
    private func keepsBegin(of old: App.MaintenanceWindow, _ values: InputValues, at moment: Moment) -> Bool {
        guard values.text("begin") != nil else { return old.begin <= moment }
        let begin = old.begin.milliseconds
        return values.moments("begin").contains(Moment(milliseconds: begin - begin % 60_000))
    }
}

extension InputValues {
    /// A time, of two equal ones the one that is chosen beside it; nil if none is typed.
    fileprivate func meantMoment(_ name: String) throws -> Moment? {
        guard text(name) != nil else { return nil }
        let second = text("\(name)-which").map { $0 == "second" }
        guard second != nil || moments(name).count < 2 else {
            throw InputProblems(["\(name)-which": "maintenance.which-problem"])
        }
        return try moment(name, second: second)
    }
}

/// An action with a form about a maintenance window.
protocol MaintenanceAction: OperatorAction {
    var form: MaintenanceForm { get set }

    /// The window that is changed.
    ///
    /// - Throws: what there must not be, or must be.
    func changed(_ context: OperatorContext) throws -> App.MaintenanceWindow?
}

extension MaintenanceAction {
    static var windowInputs: [Input<Self>] {
        [
            Input { action, values, _ in
                action.form.equalTimes = ["begin": values.moments("begin"), "end": values.moments("end")]
            },
            Input { action, context, _ in
                action.form.timeFields(context)
            } read: { action, values, context in
                try action.form.readTimes(values, since: action.changed(context), at: context.moment)
            },
            .texts(
                "message", \.form.message, help: "maintenance.text-help", defaultHelp: "maintenance.text-default"),
            .page("url", \.form.url, help: "maintenance.url-help"),
            .text("reason-word", \.form.reason, bytes: 64, limit: 64, help: "maintenance.reason-help"),
        ]
    }

    func preview(
        of window: App.MaintenanceWindow, from old: App.MaintenanceWindow? = nil, undo: Phrase,
        _ context: OperatorContext,
        in tx: Reader
    ) throws -> Preview {
        var draft = context.app
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
        sentences += try context.closedSentences(in: tx) + ["maintenance.after"]
        var preview = Preview(Phrase("\(Self.about.name)-title"), sentences, undo: undo)
        preview.playerReads = context.readings(of: draft, at: window.begin)
        return preview
    }
}

extension CallContext {
    /// The window that is open or planned.
    var maintenance: App.MaintenanceWindow? { app.maintenance.flatMap { $0.end > moment ? $0 : nil } }

    func requireMaintenance() throws -> App.MaintenanceWindow {
        guard let maintenance else { throw ImpossibleAction(phrase: "maintenance.none", parameter: "maintenance") }
        return maintenance
    }
}
