import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

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

    package init(on target: DeedTarget) {}

    func changed(_ view: OperatorView) throws -> App.MaintenanceWindow? { try view.view.requireMaintenance() }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        if let before = try view.earlier(earlier, in: tx)?.before {
            form.show(before.maintenance(at: view.moment))
        } else if let window = view.view.maintenance {
            form.show(MaintenanceForm(window))
        }
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let old = try view.view.requireMaintenance()
        let window = window(after: old)
        guard window != old else { throw InputProblems(["end": "problem.no-change"]) }
        return try preview(of: window, from: old, undo: "maintenance.change-undo", view, in: tx)
    }

    package func perform(_ work: Work) async throws {
        let old = try work.view.requireMaintenance()
        try await SetMaintenance(window(after: old)).perform(work)
    }

    private func window(after old: App.MaintenanceWindow) -> App.MaintenanceWindow {
        guard isLengthened else { return form.window ?? old }
        var window = old
        window.end = old.end.adding(seconds: 30 * 60)
        return window
    }
}
