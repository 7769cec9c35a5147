import FakeProviders
import Foundation
import Gatehouse
import GatehouseTesting
import TestDatabases
import Testing

/// Logins in headless Chromium: what a player does with pages, from the game's call to its answer.
@Suite(.timeLimit(.minutes(10)), .serialized, .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct BrowserTests {
    private func device(
        _ server: LiveServer, _ driver: WebDriver, timeoutSeconds: Int64 = Patience.seconds
    ) -> GatehouseClient {
        var configuration = LiveServer.configuration(server.url, MemoryStorage())
        configuration.adapters = FakeProviders.withPages.map { provider in
            BrowserAdapter(
                provider,
                in: .system(
                    timeoutSeconds: Double(timeoutSeconds), openPrivately: { try await driver.openForgetting($0) },
                    open: { try await driver.open($0) }))
        }
        return GatehouseClient(configuration)
    }

    private func withBrowser(_ test: @escaping @Sendable (LiveServer, WebDriver) async throws -> Void) async throws {
        try await LiveServer.run(on: .sqlite) { server in
            try await withFolder { folder in
                try await WebDriver.run(in: folder) { driver in try await test(server, driver) }
            }
        }
    }

    @Test("A player maps and logs in with every provider that has a page")
    func everyProvider() async throws {
        try await withBrowser { server, driver in
            for provider in FakeProviders.withPages {
                let device = device(server, driver)
                try await device.start()
                let guest = try await device.logIn(with: .guest).member.userId
                async let mapping = device.addMapping(provider)
                try await driver.wait(forTitle: "Fake \(provider)")
                if provider == .google { try await driver.picture("login-page") }
                try await driver.click("#player-alice")
                #expect(try await mapping.mappings.map(\.provider) == [provider])
                try await driver.wait(forTitle: "You are logged in")
                if provider == .google {
                    try await driver.picture("logged-in")
                    // The page's own policy permits its style.
                    #expect(try await driver.style("main", "max-width") == "576px")
                }
                try await device.logOut()
                async let login = device.logIn(with: provider)
                try await driver.wait(forTitle: "Fake \(provider)")
                try await driver.click("#player-alice")
                #expect(try await login.member.userId == guest, "\(provider)")
                try await driver.wait(forTitle: "You are logged in")
            }
        }
    }

    @Test(
        "LOGOUT-1, MAP-8: a browser that knows Alice lets her in, and asks who it is after a logout, a removal or a withdrawal"
    )
    func reauthentication() async throws {
        try await withBrowser { server, driver in
            let world = try #require(URL(string: server.idps.origin))
            for provider in FakeProviders.withPages {
                try await driver.forget(world)
                let device = device(server, driver)
                try await device.start()
                async let login = device.logIn(with: provider)
                try await driver.click("#player-alice")
                let alice = try await login.member.userId
                try await driver.wait(forTitle: "You are logged in")
                // This is another game on the same device: the provider recognises her by its cookie, and no page comes up.
                let other = self.device(server, driver)
                try await other.start()
                #expect(try await other.logIn(with: provider).member.userId == alice, "\(provider)")

                try await device.logOut()
                async let again = device.logIn(with: provider)
                try await driver.wait(forTitle: "Fake \(provider)")
                try await driver.click("#player-bob")
                let bob = try await again.member.userId
                #expect(bob != alice)
                try await driver.wait(forTitle: "You are logged in")

                let second: Provider = provider == .google ? .facebook : .google
                async let mapping = device.addMapping(second)
                try await driver.wait(forTitle: "Fake \(second)")
                try await driver.type("first", into: "#name")
                try await driver.click("#login")
                #expect(try await mapping.mappings.count == 2)
                try await driver.wait(forTitle: "You are logged in")
                _ = try await device.removeMapping(second)
                async let another = device.addMapping(second)
                try await driver.wait(forTitle: "Fake \(second)")
                try await driver.type("second", into: "#name")
                try await driver.click("#login")
                let subjects = try await another.mappings.map(\.subject)
                #expect(subjects.contains("second"))
                try await driver.wait(forTitle: "You are logged in")

                try await device.withdraw()
                async let last = device.logIn(with: provider)
                try await driver.wait(forTitle: "Fake \(provider)")
                try await driver.click("#player-carol")
                #expect(try await last.member.userId != bob)
                try await driver.wait(forTitle: "You are logged in")
            }
        }
    }

    @Test("A player who cancels, or closes the page, is where they were")
    func endings() async throws {
        try await withBrowser { server, driver in
            let device = device(server, driver)
            try await device.start()
            async let cancelled = failure { try await device.logIn(with: .google) }
            try await driver.click("#cancel")
            #expect(await cancelled?.code == .authUserCanceled)
            try await driver.wait(forTitle: "The login was cancelled")
            try await driver.picture("cancelled")
            let impatient = self.device(server, driver, timeoutSeconds: 3)
            try await impatient.start()
            async let closed = failure { try await impatient.logIn(with: .naver) }
            try await driver.wait(forTitle: "Fake naver")
            try await driver.close()
            #expect(await closed?.code == .authUserCanceled)
            #expect(try await impatient.logIn(with: .guest).provider == .guest)
        }
    }

    @Test("Going back and choosing anew, or opening the way back once more, changes nothing")
    func again() async throws {
        try await withBrowser { server, driver in
            let device = device(server, driver)
            try await device.start()
            async let login = device.logIn(with: .kakao)
            try await driver.click("#player-alice")
            let user = try await login.member.userId
            try await driver.wait(forTitle: "You are logged in")
            try await driver.back()
            try await driver.click("#player-bob")
            try await driver.wait(forTitle: "This login is over")
            try await driver.picture("over")
            #expect(device.userID == user)
            #expect(try await server.members() == 1)

            // The callback address with its code is opened a second time.
            let (pages, visit) = AsyncStream.makeStream(of: URL.self)
            var configuration = LiveServer.configuration(server.url, MemoryStorage())
            configuration.adapters = [
                BrowserAdapter(
                    .google,
                    in: .system { url in
                        Task {
                            defer { visit.finish() }
                            let visited = try await FakeBrowser(player: "carol").open(url).visited
                            for page in visited { visit.yield(page) }
                        }
                    })
            ]
            let other = GatehouseClient(configuration)
            try await other.start()
            _ = try await other.logIn(with: .google)
            let callback = await pages.first { $0.path.contains("/callback/") }
            try await driver.open(try #require(callback))
            try await driver.wait(forTitle: "This login is over")
            #expect(try await driver.text(of: "h1") == "This login is over")
            #expect(try await server.members() == 2)
        }
    }
}
