import GatehouseImport
import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// The operators' audit is one list, whatever the door (CON-11).
@Suite struct AuditedDoorTests {
    /// The operators' audit, oldest first.
    private static func audit(_ core: TestCore) async throws -> [OperatorRecord] {
        try await core.database.read { tx in
            Array(try OperatorRecordQueries.records(before: nil, limit: 100, in: tx).reversed())
        }
    }

    @Test(
        "What the command, a game server and the console do is one list: who, how, why, and the state before and after",
        arguments: Engine.available)
    func doors(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let kim = try #require(try await core.person().live).person
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            try await core.operator(reason: "ticket 4711").run(BanMembers([alice.user], until: nil))
            try await core.gameServer(reason: "aimbot").run(ReleaseBans(users: [alice.user, bob.user]))
            try await core.gameServer().run(KickOut(user: bob.user, message: [:]))
            _ = try await OperatorForm.confirm(
                KickOutMember(on: .member(bob.user)), on: .member(bob.user), by: kim, at: core)
            // What players do is in their histories.
            let guest = try await core.guest("laptop")
            try await guest.run(RequestWithdrawal())

            let audit = try await Self.audit(core)
            #expect(
                audit.map { [$0.action, $0.target, $0.personName, $0.door.rawValue, $0.reason] } == [
                    ["member.banned", "member \(alice.user)", "mia", "command", "ticket 4711"],
                    ["members.released", "members 2", "game-1", "server-api", "aimbot"],
                    ["member.kicked-out", "member \(bob.user)", "game-1", "server-api", "cheats"],
                    ["member.kicked-out", "member \(bob.user)", "kim", "console", "cheats"],
                ])
            #expect(audit.map(\.role) == [nil, nil, nil, .support] && audit.allSatisfy { $0.app == TestCore.app })
            #expect(audit[0].before?.values["ban"] == nil && audit[0].after?.values["ban"] != nil)
            let status = "\(alice.user).status"
            #expect(audit[1].before?.values[status] == "B" && audit[1].after?.values[status] == "Y")
            #expect(audit[1].address == "192.0.2.1")

            // The audit log has each by the same name and id.
            let log = try await core.database.read { tx in try AuditRules.records(after: "", limit: 1_000, in: tx) }
            for record in audit { #expect(log.first { $0.id == record.id }?.event == record.action) }
            #expect(log.count { $0.event == "member.kicked-out" } == 2)
        }
    }

    @Test(
        "A call that is repeated is in the audit once, and one that finds nothing to do is not",
        arguments: Engine.available)
    func once(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let alice = try await core.player("alice")
            for _ in 1...3 { try await core.ban([alice.user], once: "1") }
            #expect(try await core.ban([alice.user]) == [alice.user])
            try await core.changeLimits { _ in }
            #expect(try await core.operator().run(RevokeOldSecrets()) == 0)
            #expect(await code { try await core.operator().run(KickOut(user: UserID("nobody"), message: [:])) } != nil)
            #expect(try await Self.audit(core).map(\.action) == ["member.banned"])
        }
    }

    @Test("A command's change of an app has the name of the console's action, its reason and what was there before")
    func settings() async throws {
        try await TestCore.open { core in
            let mia = core.operator(reason: "launch day")
            let end = core.clock.now.adding(seconds: 3_600)
            _ = try await mia.run(SetLimits { $0.newGuestsPerMinute = 7 })
            for text in ["You cheated.", "No cheating."] {
                try await mia.run(AddBanTemplate(code: 7, name: "Cheating", texts: ["en": text]))
            }
            try await mia.run(PlanMaintenance(begin: nil, end: end, message: [:], url: nil))
            try await mia.run(PlanMaintenance(begin: nil, end: end.adding(seconds: 60), message: [:], url: nil))
            try await mia.run(EndMaintenance())
            try await mia.run(SetStatus(status: .inTest, message: [:]))
            try await mia.run(SetStatus(status: .terminated, message: [:]))
            _ = try await mia.run(SetTransferPolicy { $0.transferKeys.toggle() })
            _ = try await mia.run(SetAccountPolicy { $0.restoreDays += 1 })
            _ = try await mia.run(RotateSigningKey())
            _ = try await mia.run(ReplaceSigningKeys())
            try await mia.run(DisableIdentityProvider(provider: .twitter))

            let audit = try await Self.audit(core)
            #expect(
                audit.map(\.action) == [
                    "limits.set", "template.created", "template.edited", "maintenance.planned", "maintenance.changed",
                    "maintenance.ended", "status.set", "status.terminated", "transfer-policy.set", "accounts.set",
                    "key.rotated", "key.rotated-revoking", "provider.disabled",
                ])
            #expect(audit.allSatisfy { $0.reason == "launch day" && $0.personName == "mia" && $0.door == .command })
            #expect(audit[0].after?.values["limits.newGuestsPerMinute"] == "7")
            #expect(audit[2].before?.values["text.en"] == "You cheated." && audit[2].target == "ban-template 7")
            // Each tells what it has changed.
            #expect(audit.allSatisfy { $0.before != nil && $0.before != $0.after })
            let log = try await core.database.read { tx in try AuditRules.records(after: "", limit: 1_000, in: tx) }
            for record in audit { #expect(log.count { $0.id == record.id && $0.event == record.action } == 1) }
        }
    }

    @Test("An import, a source of players and an export are in the audit")
    func imports() async throws {
        try await TestCore.open { core in
            try await ImportedFile.setSource(at: core)
            let result = try await ImportedFile(.person("p1", "1"), .person("p2", "2")).run(at: core)
            _ = try await core.operator().run(UndoImport(id: result.run.id))
            let audit = try await Self.audit(core)
            // Each imported member is in its own history.
            #expect(audit.map(\.action) == ["app.legacy-source-set", "app.import-begun", "app.import-undone"])
            #expect(audit.map(\.target) == ["legacy-sources", "imports", "imports"])
            #expect(audit.allSatisfy { ActionTarget($0.target)?.text == $0.target && $0.door == .command })
            let state = "\(result.run.id).state"
            #expect(audit[1].before == TargetState() && audit[1].after?.values[state] == "begun")
            #expect(audit[2].before?.values[state] == "done" && audit[2].after?.values[state] == "undone")
            #expect(audit[0].after?.values["old.project"] == "my-game")
        }
    }

    @Test("No key, secret or note is in the audit, through whatever door it came")
    func secrets() async throws {
        try await TestCore.open { core in
            let mia = core.operator()
            let alice = try await core.player("alice")
            try await mia.run(AddMemberNote(user: alice.user, text: "plugh"))
            let key = try await mia.run(CreateSecret())
            var configuration = ProviderConfiguration(kind: .naver, clientIds: ["client"])
            configuration.acceptsUnboundTokens = true
            try await mia.run(
                SaveIdentityProvider(
                    provider: .naver, configuration: configuration,
                    secrets: .replaced(ProviderSecrets(clientSecret: "xyzzy")), samePersons: false))
            let audit = try await Self.audit(core)
            #expect(audit.map(\.action) == ["member.noted", "secret.created", "provider.saved"])
            #expect(audit[0].target == "member \(alice.user)" && audit[2].target == "provider naver")
            for secret in ["plugh", key.secretValue, "xyzzy"] { #expect(!"\(audit)".contains(secret)) }
            let records = try await core.records()
            #expect(records.first { $0.event == "member.noted" }?.user == alice.user)
        }
    }

    @Test("What the command does to operators, with a new app and to the server is in the audit of the server")
    func server() async throws {
        try await TestCore.open { core in
            let mia = Actor.operator("mia", reason: "a new shift")
            func run<A: UseCase>(_ action: A) async throws {
                _ = try await core.actions.run(action, by: mia, in: .ofServer(moment: core.clock.now))
            }
            _ = try await core.person("kim")
            try await run(InviteOperator(name: "eve", grants: [.everything: .owner]))
            try await run(GrantOperator(name: "eve", grants: [.app(TestCore.app): .viewer]))
            try await run(CreateApp(id: "second", name: "Second"))
            try await core.actions.run(
                RecordServerEvent(event: "master-key.changed"), by: mia, at: core.clock.now)
            let audit = try await Self.audit(core)
            #expect(
                audit.map { [$0.action, $0.target] } == [
                    ["operator.invited", "operator eve"], ["operator.granted", "operator eve"],
                    ["app.created", "new-app second"], ["master-key.changed", "server"],
                ])
            #expect(audit.allSatisfy { $0.app == nil && $0.personName == "mia" && $0.reason == "a new shift" })
            #expect(audit[1].before?.values["grant.*"] == "owner" && audit[1].after?.values["grant.*"] == nil)
        }
    }

    @Test("CON-8: a game server that calls itself like a person of support is not that person")
    func names() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice")
            try await core.gameServer(name: "kim").run(KickOut(user: alice.user, message: [:]))
            #expect(
                try await core.operator(kim, as: .operator).run(.operatorRecords(limit: 9)).first?.personName
                    == "kim")
            #expect(
                try await core.operator(kim, as: .support).run(.operatorRecords(limit: 9)).first?.personName == "–")
            let found = try await core.operator(kim, as: .support).run(
                .operatorRecords(where: OperatorRecordFilter(), before: nil, limit: 9))
            #expect(found.found.isEmpty)
        }
    }

    @Test("Each operator's action says what it is about, as its form was told")
    func subjects() throws {
        func check<A: OperatorAction>(_ action: A.Type) throws {
            let target: ActionTarget =
                switch A.about.subject {
                case .member: .member(UserID("AAAABBBBCCCCDDDD"))
                case .members: .members([])
                case .app: .app
                case .provider: .provider(.naver)
                case .banTemplate: .banTemplate(7)
                case .reply: .reply(7)
                case .testDevice: .testDevice(KeyThumbprint("k"))
                case .clientRules: .clientRules
                case .signingKeys: .signingKeys
                case .secrets: .secrets
                case .job: .job("j")
                case .alertReceivers: .alertReceivers
                case .person: .person("lee")
                case .newApp: .newApp(AppID("new"))
                }
            #expect(try A(on: target).subject == target, "\(A.self)")
        }
        for action in OperatorActions.named.values { try check(action) }
    }

    @Test("What an app's event is called is the name of an operator's action, or of what only the command does")
    func eventNames() {
        // The last one is no operator's.
        let known = Set(OperatorActions.named.keys + OperatorActions.namesOfCommand.app + ["app.legacy-guesses"])
        #expect(Set(AppEvent.allCases.map(\.rawValue)).subtracting(known) == [])
    }
}
