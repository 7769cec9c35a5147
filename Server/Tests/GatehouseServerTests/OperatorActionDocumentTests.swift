import GatehouseConsole
import GatehouseCore
import TestDatabases
import Testing

/// `docs/operator-actions.md` lists what operators can do, from what each action says of itself.
/// `GATEHOUSE_WRITE_DOCS=1 make test ONLY=OperatorActionDocumentTests` writes it.
@Suite struct OperatorActionDocumentTests {
    @Test("Every action that describes itself is in the table, with its roles, its fields and what undoes it")
    func table() async throws {
        try await TestServer.open(on: .sqlite) { server in
            var rows: [String] = []
            for action in OperatorActions.all { rows.append(try await Self.row(action, in: server)) }
            let roles = OperatorRole.allCases.map(\.rawValue)
            let columns = ["Action", "Name"] + roles + ["Before it is done", "Fields", "Undo"]
            try GeneratedDocument("docs/operator-actions.md").check(
                from: "<!-- the actions -->", to: "<!-- their end -->",
                ["", "| \(columns.joined(separator: " | ")) |", "|" + columns.map { _ in "---|" }.joined()]
                    + rows + [""])
        }
    }

    private static func row<A: OperatorAction>(_ action: A.Type, in server: TestServer) async throws -> String {
        let inputs = try await server.run(ReadInputs<A>(in: ["LANGUAGE"]))
        let fields = inputs.unasked + inputs.fields.map(\.name)
        let english = PhraseFormatter.english(at: server.clock.now)
        let cells =
            [english.title(of: A.about), "`\(A.about.name)`"]
            + OperatorRole.allCases.map { $0 < A.role ? "" : "yes" }
            + [
                step(A.about.step), fields.map { "`\($0)`" }.joined(separator: ", "),
                A.about.undo.map { "`\($0.about.name)`" } ?? "–",
            ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    private static func step(_ step: OperatorActionAbout.Step) -> String {
        switch step {
        case .plain: "nothing"
        case .confirmed: "confirmation"
        case .fresh: "confirmation, sign-in"
        case .typed: "confirmation, sign-in, word"
        }
    }
}
