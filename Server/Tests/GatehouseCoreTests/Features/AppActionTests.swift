import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What operators see of an app before they change it.
@Suite struct AppActionTests {
    private static func secrets(_ core: TestCore) async throws -> [AppSecret] {
        try await core.operator().run(ListSecrets())
    }

    @Test("A preview follows the rule of launching: by language, by moment, and for test devices")
    func preview() async throws {
        try await TestCore.open { core in
            let begin = core.clock.now.adding(seconds: 60)
            let (message, end) = (["en": "Soon.", "ko": "곧."], begin.adding(seconds: 60))
            try await core.operator().run(
                PlanMaintenance(begin: begin, end: end, message: message, url: nil, reason: nil))
            func preview(_ languages: [String], at moment: Moment?, isTestDevice: Bool = false) async throws
                -> PreviewLaunching.Outcome
            {
                try await core.operator().run(
                    PreviewLaunching(languages: languages, at: moment, isTestDevice: isTestDevice))
            }
            #expect(try await preview(["ko"], at: nil).information.isPlayable)
            #expect(try await preview(["ko"], at: begin).message == "곧.")
            #expect(try await preview(["fr"], at: begin).message == "Soon.")
            #expect(try await preview(["ko"], at: begin).information.status == .maintenance)
            #expect(
                try await preview(["ko"], at: begin, isTestDevice: true).information.status == .inServiceForTestDevices)
            #expect(try await preview(["ko"], at: end).information.status == .inService)
            // It is what the phone gets.
            core.clock.advance(seconds: 60)
            let phone = try await core.device("phone").caller.run(ReadLaunchingInformation())
            #expect(try await preview([], at: nil).information == phone)
        }
    }

    @Test("The node that changes an app goes on with the changed app at once, and another node within a second")
    func ownChanges() async throws {
        try await TestCore.open { core in
            let other = try core.restarted()
            func known(by node: TestCore) async throws -> AppDirectory.Entry {
                try await node.services.directory.entry(TestCore.app)
            }
            var configuration = ProviderConfiguration(kind: .line, clientIds: ["client"])
            configuration.acceptsUnboundTokens = true
            let line = SaveIdentityProvider(
                provider: .line, configuration: configuration, secrets: .replaced(ProviderSecrets()), samePersons: false
            )
            let changes: [@Sendable () async throws -> Void] = [
                { try await core.gameServer().run(KickOut(user: nil, message: [:])) },
                { try await core.operator().run(SetStatus(status: .maintenance, message: [:])) },
                { try await core.changeLimits { $0.liveSessions = 7 } },
                { try await core.operator().run(line) },
                { _ = try await core.operator().run(CreateSecret(name: "lobby", scopes: [.check])) },
                { _ = try await core.operator().run(RotateSigningKey()) },
            ]
            for change in changes {
                let before = try await known(by: core)
                let there = try await known(by: other)
                try await change()
                let after = try await known(by: core)
                func isSame(_ one: AppDirectory.Entry, _ two: AppDirectory.Entry) -> Bool {
                    one.app == two.app && one.secrets.count == two.secrets.count
                        && one.keys.keys.map(\.id) == two.keys.keys.map(\.id)
                }
                #expect(!isSame(before, after))
                #expect(isSame(try await known(by: other), there))
                core.clock.advance(seconds: 1)
                #expect(isSame(try await known(by: other), after))
            }
        }
    }

    @Test("Live sessions are those that a kick-out would end")
    func liveSessions() async throws {
        try await TestCore.open { core in
            _ = try await core.guest("one")
            let two = try await core.guest("two")
            #expect(try await core.operator().run(.liveSessions) == LiveSessions(count: 2, isComplete: true))
            try await core.operator().run(KickOut(user: two.user, message: [:]))
            #expect(try await core.operator().run(.liveSessions).count == 1)
            try await core.operator().run(KickOut(user: nil, message: [:]))
            #expect(try await core.operator().run(.liveSessions).count == 0)
        }
    }

    @Test("The use of a secret key is written with the next sweep, and then at most every five minutes")
    func secretUses() async throws {
        try await TestCore.open { core in
            let (uses, secret) = (core.services.secretUses, try #require(try await Self.secrets(core).first))
            let sweeper = Sweeper(services: core.services)
            let first = core.clock.now
            func written(after seconds: Int64, from host: UInt8) async throws -> [String] {
                core.clock.advance(seconds: seconds)
                uses.note(
                    secret, of: TestCore.app, from: ClientAddress(bytes: [192, 0, 2, host]), at: core.clock.now)
                // What another call of a moment before says is older.
                uses.note(
                    secret, of: TestCore.app, from: ClientAddress(bytes: [192, 0, 2, 99]),
                    at: core.clock.now.adding(seconds: -1))
                try await sweeper.sweep()
                let stored = try #require(try await Self.secrets(core).first)
                return ["\(stored.lastUsedAt?.milliseconds ?? 0)", stored.lastUsedFrom ?? ""]
            }
            func use(after seconds: Int64, from host: UInt8) -> [String] {
                ["\(first.adding(seconds: seconds).milliseconds)", "192.0.2.\(host)"]
            }
            #expect(secret.lastUsedAt == nil && secret.lastUsedFrom == nil)
            #expect(try await written(after: 0, from: 1) == use(after: 0, from: 1))
            // The address is written at the pace of the time.
            #expect(try await written(after: 299, from: 2) == use(after: 0, from: 1))
            #expect(try await written(after: 1, from: 3) == use(after: 300, from: 3))
        }
    }

    @Test("INP-6: an app's id and name are checked, and an id is taken once")
    func create() async throws {
        try await TestCore.open { core in
            func create(_ id: String, _ name: String) async -> ErrorCode? {
                await code {
                    try await core.actions.run(
                        CreateApp(id: AppID(id), name: name), by: .operator("mia"),
                        in: .ofServer(moment: core.clock.now))
                }
            }
            for (id, name) in [
                ("", "x"), ("a b", "x"), ("game", "x"), ("fine", ""), ("fine", "  "), ("fine", "a\u{0}b"),
                ("fine", "a\nb"),
                ("fine", String(repeating: "x", count: 101)),
                ("fine", "e" + String(repeating: "\u{301}", count: 1_000)),
            ] {
                #expect(await create(id, name) == .invalidParameter, "\(id)")
            }
            let apps = try await core.actions.run(ListApps(), by: .operator("mia"), at: core.clock.now)
            #expect(apps.map(\.id) == [TestCore.app])
            let unknown = await code { try await core.actions.context(of: AppID("none"), at: core.clock.now) }
            #expect(unknown == .launchingUnregisteredApp)
        }
    }

    @Test("What no app can be is refused")
    func change() async throws {
        try await TestCore.open { core in
            let now = core.clock.now
            for (begin, end) in [(now, now), (now.adding(seconds: -20), now.adding(seconds: -10))] {
                let maintenance = PlanMaintenance(begin: begin, end: end, message: [:], url: nil, reason: nil)
                #expect(await code { try await core.operator().run(maintenance) } == .invalidParameter)
            }
            #expect(await code { try await core.changeLimits { $0.newGuestsPerMinute = -1 } } == .invalidParameter)
            let device = AddTestDevice(key: KeyThumbprint("short"), note: "")
            #expect(await code { try await core.operator().run(device) } == .invalidParameter)
        }
    }

    private func keyID(of player: Player) throws -> String? {
        let header = player.login.session.accessToken.secretValue.split(separator: ".").first
        let bytes = try #require(header.flatMap { Base64URL.decode(String($0)) })
        return try JSONDecoder().decode([String: String].self, from: Data(bytes))["kid"]
    }

    @Test("Signing keys rotate without logging anyone out", arguments: Engine.available)
    func rotateKey(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let before = try await core.guest()
            func published() async throws -> [String] {
                try await before.device.caller.run(ReadKeys()).keys.compactMap(\.kid)
            }
            let old = try await published()
            let new = try await core.operator().run(RotateSigningKey())
            core.clock.advance(seconds: 1)
            // The key is published at once, but signs only after game servers have had time to fetch it.
            #expect(try await published() == old + [new])
            #expect(try keyID(of: try await core.guest()) == old.first)
            core.clock.advance(seconds: 600)
            let after = try await core.guest()
            #expect(try keyID(of: after) == new)
            #expect(try await before.isLoggedIn)
            #expect(try await after.isLoggedIn)
            _ = try await before.holder.run(RefreshSession())
            // The old key is removed when its last token has expired.
            core.clock.advance(seconds: 3_601)
            #expect(try await published() == [new])
            #expect(try await before.holder.run(LogInWithLastProvider()).member.userId == before.user)
        }
    }

    @Test("A signing key that leaked ends at once on every node, and devices get new tokens by themselves")
    func revokeKeys() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            _ = try await core.operator().run(ReplaceSigningKeys())
            let node = try core.restarted()
            core.clock.advance(seconds: 1)
            var renewed = guest
            renewed.login.session = try await guest.on(node).holder.run(RefreshSession()).session
            #expect(try await renewed.isLoggedIn)
            for node in [core, node] {
                #expect(
                    await code { try await guest.on(node).run(SendHeartbeat()) } == .authInvalidGatehouseToken)
            }
        }
    }

    @Test("A signing key is published, signs, is replaced and retires")
    func signingKeys() async throws {
        try await TestCore.open { core in
            func states() async throws -> [ListSigningKeys.Key.State] {
                try await core.operator().run(ListSigningKeys()).map(\.state)
            }
            #expect(try await states() == [.signs])
            _ = try await core.operator().run(RotateSigningKey())
            #expect(try await states() == [.published, .signs])
            core.clock.advance(seconds: KeyRules.publicationSeconds)
            #expect(try await states() == [.signs, .replaced])
            core.clock.advance(seconds: core.services.issuer.lifetimes.accessTokenSeconds)
            #expect(try await states() == [.signs, .retired])
            _ = try await core.operator().run(ReplaceSigningKeys())
            #expect(try await states() == [.signs])
        }
    }
}
