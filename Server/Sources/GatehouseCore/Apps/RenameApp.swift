import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

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

    package init(on target: DeedTarget) {}

    package init(to name: String) {
        self.name = name
    }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        name = try view.earlier(earlier, in: tx)?.before?.values["name"] ?? view.view.app.name
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        guard let name, AppRules.isName(name) else { throw InputProblems(["name": "apps.name-problem"]) }
        let former = view.view.app.name
        guard name != former else { throw InputProblems(["name": "problem.nothing-changed"]) }
        return Preview(
            Phrase("apps.rename-title", ["name": .text(former), "new": .text(name)]),
            [Phrase("apps.rename-what", ["app": .text(view.app.rawValue)])], undo: "setting.undo")
    }

    package func perform(_ work: Work) async throws -> App {
        guard let name, AppRules.isName(name) else {
            throw Refusal.parameter("name", "An app's name has 1 to 100 characters, and no control characters.")
        }
        return try await work.changeApp(.renamed) { app, _ in app.name = name }
    }
}
