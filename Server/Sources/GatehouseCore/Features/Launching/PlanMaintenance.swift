import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// Plans a maintenance window, or begins one.
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

    package init(on target: DeedTarget) {}

    func changed(_ view: OperatorView) throws -> App.MaintenanceWindow? {
        guard let window = view.view.maintenance else { return nil }
        throw InputProblems([
            "begin": Phrase("maintenance.overlaps", ["begin": .moment(window.begin), "end": .moment(window.end)])
        ])
    }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        if let before = try view.earlier(earlier, in: tx)?.before { form.show(before.maintenance(at: view.moment)) }
        guard let past else { return }
        let windows = try ListPastMaintenance().read(view.view, in: tx)
        guard let window = windows.first(where: { $0.begin.milliseconds == past }) else { return }
        (form.message, form.url, form.reason) = (window.message.texts, window.url, window.reason)
    }

    private static var textsOfPast: Input<Self> {
        Input { action, values, _ in action.past = values.text("past").flatMap { Int64($0) } }
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        _ = try changed(view)
        return try preview(of: window(), undo: "maintenance.plan-undo", view, in: tx)
    }

    package func perform(_ work: Work) async throws { try await SetMaintenance(window()).perform(work) }

    private func window() throws -> App.MaintenanceWindow {
        guard let window = form.window else { throw InputProblems(["end": "problem.time.notATime"]) }
        return window
    }
}
