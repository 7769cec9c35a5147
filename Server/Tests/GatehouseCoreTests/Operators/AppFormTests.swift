import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// How owners make an app and rename it.
@Suite struct AppFormTests {
    private static func confirmation(_ id: AppID, by person: Operator, once: String = "once", seen: String? = nil)
        -> ActionConfirmation
    {
        ActionConfirmation(
            action: "app.created", target: .newApp(id), person: person.id, ticket: nil, once: once, seen: seen)
    }

    private static func create(
        _ id: AppID, _ confirmation: ActionConfirmation, by person: Operator, as role: OperatorRole, _ core: TestCore
    )
        async throws -> SecretKey
    {
        try await core.actions.run(
            CreateApp(id: id, name: "New"),
            by: .operator(person, as: role, confirmation: confirmation, reason: "a new game"),
            in: .ofServer(moment: core.clock.now)
        ).secret
    }

    @Test("CON-8, CON-11: an owner of the server creates an app, which is recorded once, and nobody else does")
    func create() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let id = AppID("new")
            let confirmation = Self.confirmation(id, by: kim, seen: TargetState().version)
            for role in [OperatorRole.viewer, .support, .operator] {
                #expect(
                    await code { try await Self.create(id, confirmation, by: kim, as: role, core) } == .userPermission)
            }
            // Who owns one app does not own the server.
            let lee = try #require(try await core.person("lee", [.app(TestCore.app): .owner]).live).person
            let own = Self.confirmation(id, by: lee)
            #expect(await code { try await Self.create(id, own, by: lee, as: .owner, core) } == .userPermission)

            let secret = try await Self.create(id, confirmation, by: kim, as: .owner, core)
            #expect(secret.secretValue.hasPrefix("gsk_"))
            await #expect(throws: ConfirmationFailure.self) {
                try await Self.create(id, confirmation, by: kim, as: .owner, core)
            }
            // Somebody else has made it since the page was shown.
            let late = Self.confirmation(id, by: kim, once: "late", seen: TargetState().version)
            await #expect(throws: ConfirmationFailure.self) {
                try await Self.create(id, late, by: kim, as: .owner, core)
            }
            let records = try await core.actions.run(
                .operatorRecords(of: .newApp(id), before: nil, limit: 10), by: .operator(kim, as: .owner),
                in: .ofServer(moment: core.clock.now))
            #expect(records.map(\.action) == ["app.created"] && records.first?.reason == "a new game")
            #expect(records.first?.app == nil && records.first?.after?.values == ["name": "New"])
            #expect(ActionTarget(records.first?.target ?? "") == .newApp(id))
            let apps = try await core.actions.run(ListApps(), by: .operator(kim, as: .owner), at: core.clock.now)
            #expect(apps.map(\.id) == [TestCore.app, id])
        }
    }

    @Test(
        "INP-6: an id is made of a name's Latin letters, and is always one that an app can have",
        arguments: [
            ("My Game", "my-game"), ("  Héros! 2 ", "h-ros-2"), ("리버", "game"), ("", "game"), ("---", "game"),
            ("../../etc", "etc"), ("<b>\u{0}", "b"), (String(repeating: "Ab", count: 40), "abababababababababababab"),
        ])
    func suggestion(name: String, id: String) {
        #expect(AppID.suggested(for: name, besides: []) == AppID(id))
        let taken = Set(["", "-2", "-3"].map { AppID(id + $0) })
        let other = AppID.suggested(for: name, besides: taken)
        #expect(other == AppID("\(id)-4") && AppRules.isID(other))
    }

    @Test("An owner renames an app, its id stays, and the undo fills in the former name")
    func rename() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .owner)
            let view = try await OperatorForm.context(of: caller)
            func rename(_ name: String) throws -> RenameApp {
                try RenameApp(on: .app, OperatorForm.values(["name": name]), view)
            }
            let fields = try await OperatorForm.fields(RenameApp.self, on: .app, by: caller)
            #expect(fields.map(\.name) == ["name"] && fields.first?.value == "Game")
            for name in ["", "Game", String(repeating: "x", count: 101)] {
                let problems = await OperatorForm.problems {
                    _ = try await caller.run(ReadPreview(of: rename(name)))
                }
                #expect(problems == ["name"], "\(name)")
            }
            #expect(await OperatorForm.problems { _ = try rename("a\u{1}b") } == ["name"])
            #expect(await code { try await caller.run(RenameApp(to: "\u{0}")) } == .invalidParameter)
            let change = try rename("<b>New</b>")
            for role in [OperatorRole.viewer, .support, .operator] {
                #expect(await code { try await core.operator(kim, as: role).run(change) } == .userPermission)
            }
            let record = try await OperatorForm.confirm(change, on: .app, by: kim, at: core)
            let app = try await caller.run(ReadApp())
            #expect(app.name == "<b>New</b>" && app.id == TestCore.app)
            let former = try await OperatorForm.fields(
                RenameApp.self, on: .app, ["earlier": try #require(record)], by: caller)
            #expect(former.first?.value == "Game")
        }
    }
}
