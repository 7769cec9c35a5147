package import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

extension Work {
    /// Sets the app's maintenance window.
    ///
    /// - Parameter form: nil ends the window that there is.
    fileprivate func setMaintenance(_ form: MaintenanceForm?) async throws {
        let isThere = context.maintenance != nil
        let event = form == nil ? AppEvent.maintenanceEnded : isThere ? .maintenanceChanged : .maintenancePlanned
        try await changeApp(event) { app, moment in
            guard let form else { return app.maintenance = nil }
            guard let end = form.end, moment < end else {
                throw Refusal.parameter("end", "The end of the maintenance must lie ahead.")
            }
            app.maintenance = .init(
                begin: form.begin ?? moment, end: end, message: LocalizedText(form.message), url: form.url,
                reason: form.reason)
        }
    }
}

/// Plans a maintenance window, or begins one, or at the command replaces the one that there is.
package struct PlanMaintenance: MaintenanceAction {
    package static let about = OperatorActionAbout(
        "maintenance.planned", role: .operator, step: .confirmed, section: "launching", subject: .app,
        undo: EndMaintenance.self)
    package static let inputs: [Input<Self>] = [.earlier(\.earlier), textsOfPast] + windowInputs

    /// The id of an earlier change that this one takes back.
    private var earlier: String?
    /// The beginning of a window that is over, in milliseconds, whose texts the form begins with.
    private var past: Int64?
    var form = MaintenanceForm()

    package init(on target: ActionTarget) {}

    /// - Parameters:
    ///   - begin: nil for a window that begins now.
    ///   - message: what players read, by language.
    ///   - reason: the reason as one word, for game servers.
    package init(begin: Moment?, end: Moment, message: [String: String], url: String?, reason: String? = nil) {
        (form.begin, form.end, form.message, form.url, form.reason) = (begin, end, message, url, reason)
    }

    /// By the name of what happens.
    package var audited: AuditedRun? { AuditedRun(on: subject) }

    func changed(_ context: OperatorContext) throws -> App.MaintenanceWindow? {
        guard let window = context.call.maintenance else { return nil }
        throw InputProblems([
            "begin": Phrase("maintenance.overlaps", ["begin": .moment(window.begin), "end": .moment(window.end)])
        ])
    }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        if let before = try context.earlier(earlier, in: tx)?.before {
            form.show(before.maintenance(at: context.moment))
        }
        guard let past else { return }
        let windows = try PastMaintenance.windows(context, in: tx)
        guard let window = windows.first(where: { $0.begin.milliseconds == past }) else { return }
        (form.message, form.url, form.reason) = (window.message.texts, window.url, window.reason)
    }

    private static var textsOfPast: Input<Self> {
        Input { action, values, _ in action.past = values.text("past").flatMap { Int64($0) } }
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        _ = try changed(context)
        return try preview(of: window(), undo: "maintenance.plan-undo", context, in: tx)
    }

    package func perform(_ work: Work) async throws { try await work.setMaintenance(form) }

    private func window() throws -> App.MaintenanceWindow {
        guard let window = form.window else { throw InputProblems(["end": "problem.time.notATime"]) }
        return window
    }
}

/// Changes the maintenance window that is open or planned, or only makes it half an hour longer.
package struct ChangeMaintenance: MaintenanceAction {
    package static let about = OperatorActionAbout(
        "maintenance.changed", role: .operator, step: .confirmed, section: "launching", subject: .app,
        undo: ChangeMaintenance.self)
    package static let inputs: [Input<Self>] =
        [.earlier(\.earlier), .mark(\.isLengthened, "lengthen")] + windowInputs.map { $0.unless(\.isLengthened) }

    /// The id of an earlier change that this one takes back.
    private var earlier: String?
    private var isLengthened = false
    var form = MaintenanceForm()

    package init(on target: ActionTarget) {}

    func changed(_ context: OperatorContext) throws -> App.MaintenanceWindow? { try context.call.requireMaintenance() }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        if let before = try context.earlier(earlier, in: tx)?.before {
            form.show(before.maintenance(at: context.moment))
        } else if let window = context.call.maintenance {
            form.show(MaintenanceForm(window))
        }
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let old = try context.call.requireMaintenance()
        let window = window(after: old)
        guard window != old else { throw InputProblems(["end": "problem.no-change"]) }
        return try preview(of: window, from: old, undo: "maintenance.change-undo", context, in: tx)
    }

    package func perform(_ work: Work) async throws {
        let old = try work.context.requireMaintenance()
        try await work.setMaintenance(MaintenanceForm(window(after: old)))
    }

    private func window(after old: App.MaintenanceWindow) -> App.MaintenanceWindow {
        guard isLengthened else { return form.window ?? old }
        var window = old
        window.end = old.end.adding(seconds: 30 * 60)
        return window
    }
}

/// Ends the maintenance that is open, or cancels the one that is planned.
package struct EndMaintenance: OperatorAction {
    package static let about = OperatorActionAbout(
        "maintenance.ended", role: .operator, step: .confirmed, section: "launching", subject: .app,
        undo: PlanMaintenance.self)

    package init(on target: ActionTarget) {}

    package init() {}

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let window = try context.call.requireMaintenance()
        let key = window.begin <= context.moment ? "end" : "cancel"
        let times = ["begin": Phrase.Value.moment(window.begin), "end": .moment(window.end)]
        return Preview(
            Phrase("maintenance.\(key)-title"), [Phrase("maintenance.\(key)-what", times), "status.when"],
            undo: "maintenance.end-undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.setMaintenance(nil)
    }
}

/// A maintenance window that is over.
package struct PastMaintenance: Sendable, Hashable {
    package let begin: Moment
    /// When it ended: as planned, or when somebody ended it.
    package let end: Moment
    /// Whether somebody ended it, and it did not run out.
    package let isEndedEarly: Bool
    package let message: LocalizedText
    package let url: String?
    package let reason: String?
}

extension UseCase where Self == Read<[PastMaintenance]> {
    /// An app's maintenance windows that are over, newest first, as far as the newest changes of the app tell of them.
    package static var pastMaintenance: Self {
        Read { context, tx in try PastMaintenance.windows(context, in: tx) }
    }
}

extension PastMaintenance {
    /// The number of the app's changes that are looked at.
    private static let looked = 200

    static func windows(_ context: OperatorContext, in tx: Reader) throws -> [PastMaintenance] {
        let records = try OperatorRecordQueries.records(
            of: context.app.id, target: ActionTarget.app.text, limit: looked, in: tx)
        return windows(in: records.reversed(), now: context.app.maintenance, at: context.moment)
    }

    /// - Parameters:
    ///   - records: the app's changes, oldest first.
    ///   - now: the window that the app has, even if it is over.
    static func windows(
        in records: [OperatorRecord], now: App.MaintenanceWindow?, at moment: Moment
    ) -> [PastMaintenance] {
        var windows: [PastMaintenance] = []
        for record in records {
            guard let old = record.before?.window else { continue }
            let new = record.after?.window
            if old.end <= record.date {
                // It stays in the app until another takes its place.
                if new != old { windows.append(PastMaintenance(old, end: old.end)) }
            } else if old.begin < record.date, new?.begin != old.begin {
                windows.append(PastMaintenance(old, end: record.date))
            }
        }
        if let now, now.end <= moment { windows.append(PastMaintenance(now, end: now.end)) }
        return windows.reversed()
    }
}

extension PastMaintenance {
    fileprivate init(_ window: App.MaintenanceWindow, end: Moment) {
        (begin, self.end, isEndedEarly) = (window.begin, end, end < window.end)
        (message, url, reason) = (window.message, window.url, window.reason)
    }
}

extension TargetState {
    /// The maintenance window of an app's state.
    fileprivate var window: App.MaintenanceWindow? {
        func moment(_ name: String) -> Moment? {
            values["maintenance.\(name)"].flatMap { Int64($0) }.map { Moment(milliseconds: $0) }
        }
        guard let begin = moment("begin"), let end = moment("end") else { return nil }
        return App.MaintenanceWindow(
            begin: begin, end: end, message: LocalizedText(texts("maintenance.message.")),
            url: values["maintenance.url"], reason: values["maintenance.reason"])
    }
}
