import FakeProviders
import Foundation
import Gatehouse
import GatehouseTesting
import TestDatabases
import Testing

/// The SDK's adapter and a player who goes through the pages, without a real browser.
@Suite(.timeLimit(.minutes(10))) struct BrowserAdapterTests {
    private func device(
        _ server: LiveServer, _ provider: Provider, action: FakeBrowser.Action = .login,
        timeoutSeconds: Double = 300, opens: Bool = true, _ storage: any SecureStorage = MemoryStorage()
    ) -> GatehouseClient {
        var configuration = LiveServer.configuration(server.url, storage)
        configuration.adapters = [
            BrowserAdapter(
                provider,
                in: .system(timeoutSeconds: timeoutSeconds) { url in
                    guard opens else { return }
                    Task { try await FakeBrowser(player: "alice", action: action).open(url) }
                })
        ]
        return GatehouseClient(configuration)
    }

    @Test(
        "LOGIN-4, MAP-4: guest, mapping in a browser, logout, login in a browser: the same user, with every provider that has a page"
    )
    func everyProvider() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            for provider in FakeProviders.withPages {
                let device = device(server, provider)
                try await device.start()
                let guest = try await device.logIn(with: .guest).member.userId
                #expect(try await device.addMapping(provider).mappings.map(\.provider) == [provider])
                try await device.logOut()
                #expect(try await device.logIn(with: provider).member.userId == guest)
                #expect(device.lastProvider == provider)
            }
        }
    }

    @Test(
        "LOGIN-2: a page that is turned down, closed or left is 3001, and a provider that fails is told")
    func endings() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let cancelling = device(server, .google, action: .cancel)
            try await cancelling.start()
            #expect(await failure { try await cancelling.logIn(with: .google) }?.code == .authUserCanceled)
            let closing = device(server, .google, timeoutSeconds: 0.3, opens: false)
            try await closing.start()
            #expect(await failure { try await closing.logIn(with: .google) }?.code == .authUserCanceled)
            let (pages, page) = AsyncStream.makeStream(of: URL.self)
            var configuration = LiveServer.configuration(server.url, MemoryStorage())
            configuration.adapters = [BrowserAdapter(.google, in: .system { page.yield($0) })]
            let leaving = GatehouseClient(configuration)
            try await leaving.start()
            let login = Task { await failure { try await leaving.logIn(with: .google) } }
            _ = await pages.first { _ in true }
            #expect(await failure { try await leaving.logIn(with: .guest) }?.code == .authAlreadyInProgress)
            login.cancel()
            #expect(await login.value?.code == .authUserCanceled)

            server.idps.set(.wrongAudience, for: .google)
            let refused = device(server, .google)
            try await refused.start()
            let error = await failure { try await refused.logIn(with: .google) }
            #expect(error?.code == .authIDPLoginFailed)
            #expect(error?.reason == .audienceMismatch)
            _ = try await refused.logIn(with: .guest)
            #expect(await failure { try await refused.addMapping(.google) }?.code == .authAddMappingFailed)
            server.idps.set(.down, for: .google)
            server.idps.set(nil, for: .google)
            #expect(try await refused.addMapping(.google).mappings.map(\.provider) == [.google])
        }
    }

    @Test("Whoever shows the page may wait until it has loaded, also where it comes back at once")
    func loading() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let profile = FakeBrowser.Profile()
            var users: Set<UserID> = []
            for _ in 0..<2 {
                var configuration = LiveServer.configuration(server.url, MemoryStorage())
                configuration.adapters = [
                    BrowserAdapter(
                        .google,
                        in: .system { url in _ = try await FakeBrowser(player: "alice", profile: profile).open(url) })
                ]
                let device = GatehouseClient(configuration)
                try await device.start()
                users.insert(try await device.logIn(with: .google).member.userId)
            }
            #expect(users.count == 1)
            #expect(profile.timesAsked == 1)
        }
    }
}
