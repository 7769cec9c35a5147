import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// Sets the status of a service that has ended.
package struct TerminateService: OperatorAction {
    package static let about = OperatorActionAbout(
        "status.terminated", role: .owner, step: .typed, section: "launching", subject: .app, undo: SetStatus.self)
    package static let inputs: [Input<Self>] = [.texts("message", \.message)]

    private var message: [String: String] = [:]

    package init(on target: DeedTarget) {}

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        message = view.view.app.statusMessage.texts
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let app = view.view.app
        var preview = Preview(
            Phrase("terminate.title", ["name": .text(app.name)]),
            ["terminate.what", "status.when"] + (try view.closedSentences(in: tx)), undo: "status.undo")
        preview.isDangerous = true
        preview.playerReads = view.readings(of: change.draft(of: app))
        preview.typed = app.id.rawValue
        return preview
    }

    private var change: SetStatus { SetStatus(status: .terminated, message: message) }

    package func perform(_ work: Work) async throws { try await change.perform(work) }
}
