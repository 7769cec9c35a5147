import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators see of an app before they change it.
@Suite struct AppActionTests {
    private static func secrets(_ desk: Desk) async throws -> [AppSecret] {
        try await desk.operator().run(ListSecrets())
    }

    @Test("A preview follows the rule of launching: by language, by moment, and for test devices")
    func preview() async throws {
        try await Desk.open { desk in
            let begin = desk.clock.now.adding(seconds: 60)
            let (message, end) = (["en": "Soon.", "ko": "곧."], begin.adding(seconds: 60))
            try await desk.operator().run(
                SetMaintenance(begin: begin, end: end, message: message, url: nil, reason: nil))
            func preview(_ languages: [String], at moment: Moment?, isTestDevice: Bool = false) async throws
                -> PreviewLaunching.Outcome
            {
                try await desk.operator().run(
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
            desk.clock.advance(seconds: 60)
            let phone = try await desk.device("phone").caller.run(ReadLaunchingInformation())
            #expect(try await preview([], at: nil).information == phone)
        }
    }

    @Test("The node that changes an app goes on with the changed app at once, and another node within a second")
    func ownChanges() async throws {
        try await Desk.open { desk in
            let other = try desk.restarted()
            func known(by node: Desk) async throws -> AppDirectory.Entry {
                try await node.services.directory.entry(Desk.app)
            }
            var configuration = ProviderConfiguration(kind: .line, clientIds: ["client"])
            configuration.acceptsUnboundTokens = true
            let line = SetIdentityProvider(
                provider: .line, configuration: configuration, secrets: ProviderSecrets(), samePersons: false)
            let changes: [@Sendable () async throws -> Void] = [
                { try await desk.gameServer().run(KickOut(user: nil, message: [:])) },
                { try await desk.operator().run(SetStatus(status: .maintenance, message: [:])) },
                { try await desk.changeLimits { $0.liveSessions = 7 } },
                { try await desk.operator().run(line) },
                { _ = try await desk.operator().run(AddSecret(name: "lobby", scopes: [.check])) },
                { _ = try await desk.operator().run(RotateSigningKey(revokesOthers: false)) },
            ]
            for change in changes {
                let before = try await known(by: desk)
                let there = try await known(by: other)
                try await change()
                let after = try await known(by: desk)
                func isSame(_ one: AppDirectory.Entry, _ two: AppDirectory.Entry) -> Bool {
                    one.app == two.app && one.secrets.count == two.secrets.count
                        && one.keys.keys.map(\.id) == two.keys.keys.map(\.id)
                }
                #expect(!isSame(before, after))
                #expect(isSame(try await known(by: other), there))
                desk.clock.advance(seconds: 1)
                #expect(isSame(try await known(by: other), after))
            }
        }
    }

    @Test("Live sessions are those that a kick-out would end")
    func liveSessions() async throws {
        try await Desk.open { desk in
            _ = try await desk.guest("one")
            let two = try await desk.guest("two")
            #expect(try await desk.operator().run(CountLiveSessions()) == .init(count: 2, isComplete: true))
            try await desk.operator().run(KickOut(user: two.user, message: [:]))
            #expect(try await desk.operator().run(CountLiveSessions()).count == 1)
            try await desk.operator().run(KickOut(user: nil, message: [:]))
            #expect(try await desk.operator().run(CountLiveSessions()).count == 0)
        }
    }

    @Test("The use of a secret key is written with the next sweep, and then at most every five minutes")
    func secretUses() async throws {
        try await Desk.open { desk in
            let (uses, secret) = (desk.services.secretUses, try #require(try await Self.secrets(desk).first))
            let sweeper = Sweeper(services: desk.services)
            let first = desk.clock.now
            func written(after seconds: Int64) async throws -> Moment? {
                desk.clock.advance(seconds: seconds)
                uses.note(secret, of: Desk.app, at: desk.clock.now)
                try await sweeper.sweep()
                return try await Self.secrets(desk).first?.lastUsedAt
            }
            #expect(secret.lastUsedAt == nil)
            #expect(try await written(after: 0) == first)
            #expect(try await written(after: 299) == first)
            #expect(try await written(after: 1) == first.adding(seconds: 300))
        }
    }

    @Test("A signing key is published, signs, is replaced and retires")
    func signingKeys() async throws {
        try await Desk.open { desk in
            func states() async throws -> [ListSigningKeys.Key.State] {
                try await desk.operator().run(ListSigningKeys()).map(\.state)
            }
            #expect(try await states() == [.signs])
            _ = try await desk.operator().run(RotateSigningKey(revokesOthers: false))
            #expect(try await states() == [.published, .signs])
            desk.clock.advance(seconds: KeyRules.publicationSeconds)
            #expect(try await states() == [.signs, .replaced])
            desk.clock.advance(seconds: desk.services.issuer.lifetimes.accessTokenSeconds)
            #expect(try await states() == [.signs, .retired])
            _ = try await desk.operator().run(RotateSigningKey(revokesOthers: true))
            #expect(try await states() == [.signs])
        }
    }
}
