import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Testing

@testable import GatehouseCore

@Suite struct ClientRuleFormTests {
    private static let below = ["below": "2.0.0", "status": "300", "position": "1"]

    private static func named(_ key: String, _ code: String) -> Phrase {
        Phrase("client-rules.named", ["name": .word(key, or: code), "code": .text(code)])
    }

    private static func rules(_ caller: Caller) async throws -> [ClientRule] {
        try await caller.run(ReadApp()).clientRules
    }

    @Test("A rule's form asks for clients, status, address, texts and place, and says at each field what is wrong")
    func form() async throws {
        try await TestCore.open { core in
            let caller = core.operator()
            let fields = try await OperatorForm.fields(AddClientRule.self, on: .clientRules, by: caller)
            #expect(
                fields.map(\.name) == [
                    "os", "store", "from", "below", "status", "position", "os-other", "store-other", "url",
                    "message.en", "message.ko",
                ])
            #expect(fields.map(\.value) == ["", "", "", "", "300", "1", "", "", "", "", ""])
            let view = try await OperatorForm.context(of: caller)
            func problems(_ texts: [String: String]) async -> [String: Phrase] {
                do {
                    _ = try AddClientRule(
                        on: .clientRules, OperatorForm.values(Self.below.merging(texts) { $1 }), view)
                    return [:]
                } catch {
                    return (error as? InputProblems)?.phrases ?? [:]
                }
            }
            #expect(await problems([:]) == [:])
            #expect(
                await problems(["below": "2.x", "url": "example.com", "position": "2"]) == [
                    "below": "problem.client-rule.version", "url": "problem.client-rule.address",
                    "position": Phrase("problem.range", ["from": .count(1), "to": .count(1)]),
                ])
            #expect(
                await problems(["below": "", "status": "303"]) == [
                    "os": "problem.client-rule.no-condition", "status": "problem.choice",
                ])
            #expect(await problems(["from": "2.0.0"]) == ["below": "problem.client-rule.order"])
            #expect(
                await problems(["os": "i os", "store": "é"]) == [
                    "os": "problem.client-rule.code", "store": "problem.client-rule.code",
                ])
            let long = String(repeating: "x", count: 2_001)
            #expect(
                await problems(["message.ko": long]) == [
                    "message.ko": Phrase("problem.text", ["count": .count(2_000)])
                ])
            let rule = try AddClientRule(
                on: .clientRules, OperatorForm.values(["os": "ios", "message.EN": "Now."].merging(Self.below) { $1 }),
                view
            ).rule
            #expect(rule.osCode == "IOS" && rule.message.texts == ["en": "Now."])
            // A code without a name is typed, and counts instead of the choice.
            let other = try AddClientRule(
                on: .clientRules,
                OperatorForm.values(["os": "IOS", "os-other": "tvos", "store": "GG"].merging(Self.below) { $1 }), view
            ).rule
            #expect(other.osCode == "TVOS" && other.storeCode == "GG")
        }
    }

    @Test("A new rule says whom it is for, what they read, and which rules come before it")
    func add() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let view = try await OperatorForm.context(of: caller)
            let add = try AddClientRule(
                on: .clientRules, OperatorForm.values(Self.below.merging(["message.en": "Please update."]) { $1 }), view
            )
            let preview = try await caller.run(ReadPreview(of: add, in: ["en"]))
            #expect(preview.title == "client-rule.added-title" && preview.isDangerous)
            let versions = Phrase("client-rules.versions-below", ["below": .text("2.0.0")])
            #expect(
                preview.consequences == [
                    Phrase("client-rules.what", ["clients": .phrase(versions), "status": .phrase("status.300")]),
                    "client-rules.no-address", "launching.logins-refused", "launching.sessions-stay",
                    Phrase("launching.devices-pass", ["count": .count(0)]), "status.when",
                ])
            #expect(preview.playerReads.map(\.text) == ["Please update."] && preview.table?.rows.count == 1)
            #expect(await code { _ = try await core.operator(kim, as: .support).run(add) } == .userPermission)
            _ = try await caller.run(add)

            // An earlier rule is for some of its clients, or for all of them.
            func sentences(_ texts: [String: String]) async throws -> [Phrase] {
                let view = try await OperatorForm.context(of: caller)
                let other = try AddClientRule(on: .clientRules, OperatorForm.values(texts), view)
                return try await caller.run(ReadPreview(of: other)).consequences
            }
            let ios: Phrase.Value = .phrase(Self.named("system.IOS", "IOS"))
            #expect(
                try await sentences(["os": "ios", "status": "205", "position": "2"]) == [
                    Phrase("client-rules.what-others", ["clients": ios, "status": .phrase("status.205")]),
                    Phrase(
                        "client-rules.overlap",
                        ["number": .count(1), "clients": .phrase(versions), "status": .phrase("status.300")]),
                    "status.when",
                ])
            #expect(
                try await sentences(["os": "ios", "below": "1.0", "status": "205", "position": "2"])[1]
                    == Phrase("client-rules.covered", ["number": .count(1)]))
            #expect(
                try await sentences(["os": "ios", "status": "205", "position": "1"]) == [
                    Phrase("client-rules.what", ["clients": ios, "status": .phrase("status.205")]), "status.when",
                ])
        }
    }

    @Test("An app with as many rules as it can have gets no more")
    func full() async throws {
        try await TestCore.open { core in
            let caller = core.operator()
            var app = try await caller.run(ReadApp())
            let view = { (app: App) in
                OperatorContext(
                    call: CallContext(app: app, moment: core.clock.now), actor: caller.actor, services: core.services)
            }
            let add = try AddClientRule(on: .clientRules, OperatorForm.values(Self.below), view(app))
            for (count, problems) in [(99, []), (100, ["position"])] as [(Int, Set<String>)] {
                app.clientRules = (0..<count).map { ClientRule(id: "\($0)", osCode: "IOS", status: .inTest) }
                let seen = view(app)
                #expect(
                    await OperatorForm.problems {
                        _ = try await core.database.report { tx in try add.preview(seen, in: tx) }
                    } == problems)
            }
        }
    }

    @Test("A rule's change begins with the rule as it is, and says what it was before")
    func change() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let ids = [
                try await caller.run(AddClientRule(ClientRule(below: "2.0.0", status: .requireUpdate))),
                try await caller.run(AddClientRule(ClientRule(osCode: "AOS", storeCode: "GG", status: .inTest))),
            ]
            let fields = try await OperatorForm.fields(
                ChangeClientRule.self, on: .clientRules, ["rule": ids[1]], by: caller)
            #expect(fields.map(\.value) == ["AOS", "GG", "", "", "203", "2", "", "", "", "", ""])
            let unknown = await OperatorForm.impossible {
                _ = try await OperatorForm.fields(ChangeClientRule.self, on: .clientRules, ["rule": "x"], by: caller)
            }
            #expect(unknown?.parameter == "rule" && unknown?.phrase == "client-rules.unknown")

            let view = try await OperatorForm.context(of: caller)
            func change(_ texts: [String: String]) throws -> ChangeClientRule {
                let shown = ["rule": ids[1], "os": "AOS", "store": "GG", "status": "203", "position": "2"]
                return try ChangeClientRule(
                    on: .clientRules, OperatorForm.values(shown.merging(texts) { $1 }), view)
            }
            #expect(await OperatorForm.problems { _ = try change(["position": "3"]) } == ["position"])
            let same = try change([:])
            #expect(await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: same)) } == ["status"])
            let good = try change(["status": "205", "position": "1"])
            let preview = try await caller.run(ReadPreview(of: good))
            #expect(preview.title == "client-rule.changed-title" && !preview.isDangerous)
            let (system, store) = (Self.named("system.AOS", "AOS"), Self.named("store.GG", "GG"))
            let clients = Phrase("client-rules.both", ["one": .phrase(system), "other": .phrase(store)])
            #expect(
                preview.consequences.first
                    == Phrase(
                        "client-rules.what-before",
                        ["clients": .phrase(clients), "status": .phrase("status.203")]))
            let record = try #require(try await OperatorForm.confirm(good, on: .clientRules, by: kim, at: core))
            #expect(try await Self.rules(caller).map(\.id) == [ids[1], ids[0]])
            #expect(try await Self.rules(caller).first?.status == .inBeta)
            // The undo offers the rule as it was.
            let again = try await OperatorForm.fields(
                ChangeClientRule.self, on: .clientRules, ["rule": ids[1], "earlier": record], by: caller)
            #expect(again.map(\.value) == fields.map(\.value))
        }
    }

    @Test("A rule moves to a place that there is, and back by the record of its move")
    func move() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            var ids: [String] = []
            for os in ["IOS", "AOS", "WEB"] {
                ids.append(try await caller.run(AddClientRule(ClientRule(osCode: os, status: .inTest))))
            }
            let view = try await OperatorForm.context(of: caller)
            func move(_ texts: [String: String]) throws -> MoveClientRule {
                try MoveClientRule(on: .clientRules, OperatorForm.values(texts.merging(["rule": ids[0]]) { $1 }), view)
            }
            func obstacle(_ texts: [String: String]) async -> ImpossibleAction? {
                await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: try move(texts))) }
            }
            #expect(try await OperatorForm.fields(MoveClientRule.self, on: .clientRules, by: caller).isEmpty)
            for place in ["", "0", "4", "x"] {
                let obstacle = await obstacle(["to": place])
                #expect(obstacle?.parameter == "to")
                #expect(obstacle?.phrase == Phrase("problem.range", ["from": .count(1), "to": .count(3)]))
            }
            #expect(await obstacle(["to": "1"])?.phrase == "problem.no-change")
            let down = try move(["to": "3"])
            let preview = try await caller.run(ReadPreview(of: down))
            #expect(preview.title == Phrase("client-rules.move-title", ["from": .count(1), "to": .count(3)]))
            #expect(preview.table?.rows.count == 3)
            let record = try #require(try await OperatorForm.confirm(down, on: .clientRules, by: kim, at: core))
            #expect(try await Self.rules(caller).map(\.id) == [ids[1], ids[2], ids[0]])
            let back = try move(["earlier": record])
            #expect(
                try await caller.run(ReadPreview(of: back)).title
                    == Phrase("client-rules.move-title", ["from": .count(3), "to": .count(1)]))
            try await caller.run(back)
            #expect(try await Self.rules(caller).map(\.id) == ids)
        }
    }

    @Test("A rule's removal says whom it was for, and its undo offers it again at its place")
    func remove() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let text = LocalizedText(["fr": "Bientôt."])
            let rule = ClientRule(from: "1.0", below: "2.0.0", status: .inTest, message: text)
            let id = try await caller.run(AddClientRule(rule))
            _ = try await caller.run(AddClientRule(ClientRule(osCode: "WEB", status: .inTest)))
            let view = try await OperatorForm.context(of: caller)
            let remove = try RemoveClientRule(on: .clientRules, OperatorForm.values(["rule": id]), view)
            let versions = Phrase("client-rules.versions", ["from": .text("1.0"), "below": .text("2.0.0")])
            #expect(
                try await caller.run(ReadPreview(of: remove)).consequences.first
                    == Phrase(
                        "client-rules.remove-what",
                        ["clients": .phrase(versions), "status": .phrase("status.203")]))
            let record = try #require(try await OperatorForm.confirm(remove, on: .clientRules, by: kim, at: core))
            #expect(try await Self.rules(caller).map(\.osCode) == ["WEB"])
            let gone = await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: remove)) }
            #expect(gone?.phrase == "client-rules.unknown")
            let fields = try await OperatorForm.fields(
                AddClientRule.self, on: .clientRules, ["rule": id, "earlier": record], by: caller)
            #expect(fields.map(\.value) == ["", "", "1.0", "2.0.0", "203", "1", "", "", "", "", "", "Bientôt."])
        }
    }
}
