import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What an app takes over from another one, and what it must not.
@Suite struct CreateAppLikeTests {
    private static let new = AppID("new")
    private static let texts = ["en": "No.", "ko": "안돼요"]

    private static func create(
        _ core: TestCore, _ id: AppID = new, like other: AppID = TestCore.app, by actor: Actor = .operator("mia")
    ) async throws -> CreateAppLike.Outcome {
        try await core.actions.run(
            CreateAppLike(id: id, name: "New", like: other), by: actor, in: .ofServer(moment: core.clock.now))
    }

    private static func run<A: UseCase>(_ action: A, _ core: TestCore) async throws -> A.Outcome {
        try await core.actions.run(
            action, by: .operator("mia"), in: core.actions.context(of: new, at: core.clock.now))
    }

    /// Gives the other app something of everything.
    private static func fill(_ core: TestCore) async throws {
        let mia = core.operator()
        _ = try await mia.run(
            SetAccountPolicy { policy in
                policy.withdrawalGraceDays = 3
                policy.supportContact = "help@example.com"
                policy.timeZone = "Asia/Seoul"
                policy.redirects = ["oldgame://login"]
            })
        try await core.changeLimits { limits in
            limits.liveSessions = 7
            limits.newGuestsPerMinute = 0
        }
        for code in [1, 2] { try await mia.run(AddBanTemplate(code: code, name: "t\(code)", texts: texts)) }
        try await core.database.transact { tx in
            _ = try AppRules.change(TestCore.app, in: tx) { $0.defaultLanguage = "ko" }
            _ = try BanQueries.setArchived(true, template: 2, app: TestCore.app, in: tx)
            try ReplyQueries.set(Reply(id: 4, title: "r", texts: LocalizedText(texts)), app: TestCore.app, in: tx)
        }
        var fake = ProviderConfiguration(kind: .google, clientIds: ["client"])
        fake.origin = "http://127.0.0.1:9090"
        try await mia.run(SaveIdentityProvider(provider: .google, configuration: fake))
        var line = ProviderConfiguration(kind: .line, clientIds: ["old-game"])
        line.callbackURL = "https://login.example.com/v1/apps/game/callback/line"
        try await mia.run(
            SaveIdentityProvider(
                provider: .line, configuration: line,
                secrets: .replaced(
                    ProviderSecrets(clientSecret: "gone-with-the-old-game", adminKey: "key-of-the-old-game"))))
        _ = try await mia.run(AddClientRule(ClientRule(below: "2", status: .requireUpdate)))
        try await mia.run(AddTestDevice(key: core.device("phone").key, note: "a phone"))
        _ = try await core.player("alice")
    }

    @Test("An app like another has its settings, and neither members nor secrets", arguments: Engine.available)
    func create(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await Self.fill(core)
            let created = try await Self.create(core)
            #expect(created.secret.secretValue.hasPrefix("gsk_"))
            let (old, app) = (try await core.operator().run(ReadApp()), try await Self.run(ReadApp(), core))
            var policy = old.policy
            policy.redirects = nil
            #expect(app.policy == policy && app.policy.transfer != nil && app.defaultLanguage == "ko")
            // An app without a limit is not made by accident.
            var limits = AppLimits()
            limits.liveSessions = 7
            #expect(app.limits == limits && app.name == "New" && app.status == .inService)
            let templates = try await Self.run(.banTemplates, core)
            #expect(templates == [BanTemplate(code: 1, name: "t1", texts: LocalizedText(Self.texts))])
            #expect(try await Self.run(.replies, core).map(\.id) == [4])
            #expect(app.clientRules.isEmpty)
            #expect(try await Self.run(ListTestDevices(), core).isEmpty)
            #expect(try await Self.run(.members(), core).isEmpty)

            #expect(Set(app.providers.keys) == [.naver, .twitter, .line])
            for (provider, configuration) in app.providers {
                #expect(!configuration.isEnabled && configuration.sealedSecrets == nil, "\(provider)")
            }
            let line = try #require(app.providers[.line])
            #expect(line.clientIds == ["old-game"] && line.callbackURL == nil)
            #expect(old.providers[.line]?.isEnabled == true && old.providers[.line]?.sealedSecrets != nil)

            #expect(
                created.lines == [
                    .language("ko"), .accountPolicy(hasTransfers: true), .limits,
                    .provider(.line, secrets: ["adminKey", "clientSecret"]),
                    .provider(.naver, secrets: ["clientSecret"]), .provider(.twitter, secrets: ["clientSecret"]),
                    .banTemplates(1), .replies(1),
                    .redirects(["oldgame://login"]), .unlimited(["newGuestsPerMinute"]), .fakeProviders([.google]),
                    .archivedTemplates(1), .clientRules(1), .testDevices(1),
                ])
            #expect(created.lines.filter(\.isCopied).count == 8)
        }
    }

    @Test("It is audited: from which app, by whom, and each provider that was set up")
    func audit() async throws {
        try await TestCore.open { core in
            _ = try await Self.create(core)
            let records = try await core.database.read { tx in try AuditRules.records(after: "", limit: 100, in: tx) }
                .filter { $0.app == Self.new }
            // All of one moment, so their order is any.
            let events = ["accounts.set", "app.created", "provider.saved", "provider.saved"]
            #expect(records.map(\.event).sorted() == events && records.allSatisfy { $0.origin.name == "mia" })
            #expect(records.first { $0.event == "app.created" }?.details == ["like": "game"])
            #expect(Set(records.compactMap { $0.details["idp"] }) == ["naver", "twitter"])
        }
    }

    @Test("A maintenance that is over leaves its texts, and one that goes on, like another status, stays where it is")
    func maintenance() async throws {
        try await TestCore.open { core in
            let end = core.clock.now.adding(seconds: 60)
            try await core.operator().run(PlanMaintenance(begin: nil, end: end, message: Self.texts, url: nil))
            let open = try await Self.create(core)
            #expect(open.lines.contains(.maintenance(end: end)))
            #expect(try await Self.run(ReadApp(), core).maintenance == nil)

            core.clock.advance(seconds: 61)
            try await core.operator().run(SetStatus(status: .maintenance, message: ["en": "Closed."]))
            let (id, actions) = (AppID("newer"), core.actions)
            let over = try await Self.create(core, id)
            #expect(over.lines.contains(.maintenanceTexts(end: end)) && over.lines.contains(.status(.maintenance)))
            let app = try await actions.context(of: id, at: core.clock.now).app
            #expect(app.maintenance?.message.texts == Self.texts)
            #expect(app.status == .inService && app.statusMessage.texts.isEmpty)
            let view = CallContext(app: app, moment: core.clock.now)
            #expect(LaunchingRules.statusForEveryone(view) == .inService && LaunchingRules.maintenance(view) == nil)
        }
    }

    @Test("An app that does not exist, an id that is taken, and who owns no server are refused, and no app is made")
    func refusals() async throws {
        try await TestCore.open { core in
            #expect(
                await code { try await Self.create(core, like: AppID("nobody")) } == .launchingUnregisteredApp)
            #expect(await code { try await Self.create(core, TestCore.app) } == .invalidParameter)
            #expect(await code { try await Self.create(core, AppID("a b")) } == .invalidParameter)
            let lee = try #require(try await core.person("lee", [.app(TestCore.app): .owner]).live).person
            #expect(await code { try await Self.create(core, by: .operator(lee, as: .operator)) } == .userPermission)
            let apps = try await core.actions.run(ListApps(), by: .operator("mia"), at: core.clock.now)
            #expect(apps.map(\.id) == [TestCore.app])
        }
    }
}
