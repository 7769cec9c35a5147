import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// Ends the maintenance that is open, or cancels the one that is planned.
package struct EndMaintenance: OperatorAction {
    package static let about = OperatorActionAbout(
        "maintenance.ended", role: .operator, step: .confirmed, section: "launching", subject: .app,
        undo: PlanMaintenance.self)

    package init(on target: DeedTarget) {}

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let window = try view.view.requireMaintenance()
        let key = window.begin <= view.moment ? "end" : "cancel"
        let times = ["begin": Phrase.Value.moment(window.begin), "end": .moment(window.end)]
        return Preview(
            Phrase("maintenance.\(key)-title"), [Phrase("maintenance.\(key)-what", times), "status.when"],
            undo: "maintenance.end-undo")
    }

    package func perform(_ work: Work) async throws {
        _ = try work.view.requireMaintenance()
        try await SetMaintenance(begin: nil, end: nil, message: [:], url: nil).perform(work)
    }
}
