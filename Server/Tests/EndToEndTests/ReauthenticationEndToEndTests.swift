import FakeProviders
import Foundation
import Gatehouse
import GatehouseTesting
import TestDatabases
import Testing

/// A device whose browser remembers the providers' own logins, as every real one does.
@Suite(.timeLimit(.minutes(10))) struct ReauthenticationEndToEndTests {
    private func device(
        _ server: LiveServer, _ browsing: BrowsingPlayer, hasPrivatePages: Bool = true
    ) async throws -> GatehouseClient {
        var configuration = LiveServer.configuration(server.url, MemoryStorage())
        let openPrivately: @Sendable (URL) async throws -> Void = { browsing.open($0, privately: true) }
        configuration.adapters = FakeProviders.withPages.map { provider in
            BrowserAdapter(
                provider,
                in: .system(
                    timeoutSeconds: 60, openPrivately: hasPrivatePages ? openPrivately : nil,
                    open: { browsing.open($0) }))
        }
        let device = GatehouseClient(configuration)
        try await device.start()
        return device
    }

    @Test(
        "LOGOUT-1: every provider lets the browser's player in without a word, and asks anew after a logout",
        arguments: Engine.ofDoors)
    func logout(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            for provider in FakeProviders.withPages {
                let browsing = BrowsingPlayer("alice")
                let device = try await device(server, browsing)
                let alice = try await device.logIn(with: provider).member.userId
                #expect(browsing.timesAsked == 1)
                // Bob uses the device now, and another game on it would log in as Alice.
                browsing.player = "bob"
                let other = try await self.device(server, browsing)
                #expect(try await other.logIn(with: provider).member.userId == alice, "\(provider)")
                #expect(browsing.timesAsked == 1)
                try await device.logOut()
                let bob = try await device.logIn(with: provider)
                #expect(bob.member.userId != alice, "\(provider)")
                #expect(bob.member.mappings.map(\.subject) == [server.idps.subject(of: "bob", at: provider)])
                #expect(browsing.timesAsked == 2)
            }
        }
    }

    @Test(
        "MAP-8, LOGOUT-1: another account of every provider can be mapped after a removal, and logged in with after a withdrawal"
    )
    func removal() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            for provider in FakeProviders.withPages {
                let browsing = BrowsingPlayer("alice")
                let device = try await device(server, browsing)
                let first: Provider = provider == .google ? .studio : .google
                let user = try await device.logIn(with: first).member.userId
                let alice = try await device.addMapping(provider).mappings.first { $0.provider == provider }
                #expect(alice?.subject == server.idps.subject(of: "alice", at: provider))
                _ = try await device.removeMapping(provider)
                browsing.player = "bob"
                let bob = try await device.addMapping(provider).mappings.first { $0.provider == provider }
                #expect(bob?.subject == server.idps.subject(of: "bob", at: provider), "\(provider)")
                #expect(browsing.timesAsked == 3)
                try await device.withdraw()
                browsing.player = "carol"
                for provider in [first, provider] {
                    let login = try await device.logIn(with: provider, replacing: true)
                    #expect(login.member.userId != user)
                    let carol = server.idps.subject(of: "carol", at: provider)
                    #expect(login.member.mappings.map(\.subject) == [carol], "\(provider)")
                    try await device.withdraw()
                }
                #expect(browsing.timesAsked == 5)
            }
        }
    }

    @Test(
        "LOGOUT-1: Google's list has the account of before, so that its page asks nobody: after a logout it is a page of its own"
    )
    func listOfAccounts() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            for hasPrivatePages in [false, true] {
                let browsing = BrowsingPlayer("alice")
                let device = try await device(server, browsing, hasPrivatePages: hasPrivatePages)
                let alice = try await device.logIn(with: .google).member.userId
                #expect(browsing.timesAsked == 1)
                try await device.logOut()
                #expect(try await device.logIn(with: .google).member.userId == alice)
                #expect(browsing.lastPage["prompt"] == "select_account")
                // Only the private page has asked the player.
                #expect(browsing.timesAsked == (hasPrivatePages ? 2 : 1))
                try await device.logOut()
                browsing.player = "bob"
                #expect(try await device.logIn(with: .google).member.userId != alice)
                #expect(browsing.timesAsked == (hasPrivatePages ? 3 : 2))
            }
        }
    }

    @Test("Without a browser session of its own, a provider that documents no way to ask anew goes on as before")
    func noPrivatePages() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let browsing = BrowsingPlayer("alice")
            let device = try await device(server, browsing, hasPrivatePages: false)
            let alice = try await device.logIn(with: .payco).member.userId
            try await device.logOut()
            browsing.player = "bob"
            #expect(try await device.logIn(with: .payco).member.userId == alice)
            try await device.logOut()
            #expect(try await device.logIn(with: .naver).member.userId != alice)
        }
    }
}
