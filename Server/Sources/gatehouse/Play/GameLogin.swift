#if Player
import FakeProviders
import Foundation
import Gatehouse
import GatehouseWire

/// Logs this game's players in: at a page in a browser, or, if a provider has no page, with what the fake world returns instead of a
/// library.
struct GameLogin: AuthAdapter {
    /// Who goes through the providers' pages.
    enum Browsing: Sendable {
        case person
        /// A robot goes through the pages of the fake world as the player of this name. The pages of other providers are for people.
        case robot(@Sendable () -> String)
        /// The program that has started this one reads the addresses.
        case program
    }

    let provider: Provider
    let browsing: Browsing

    func logIn(_ request: AdapterRequest) async throws -> Credential {
        let world = request.settings.additionalInfo?["fakeWorld"]?.stringValue
        guard request.settings.hasBrowserLogin ?? false else {
            let browsing = browsing
            return try await FakeWorldAdapter(provider) {
                if case .robot(let name) = browsing { return name() }
                return Terminal.ask("Who are you? [alice] ").flatMap { $0.isEmpty ? nil : $0 } ?? "alice"
            }.logIn(request)
        }
        let adapter = BrowserAdapter(
            provider,
            in: .system { url in
                switch browsing {
                case .program: PlayScript.say(["open": .string(url.absoluteString)])
                case .robot(let name) where world != nil:
                    // The robot opens the page while this task waits for the browser to come back.
                    Task { try? await FakeBrowser(player: name()).open(url) }
                case .robot: await show(url) { Terminal.complain($0) }  // Standard output may be read by a program.
                case .person: await show(url) { Terminal.say($0) }
                }
            })
        return try await adapter.logIn(request)
    }

    private func show(_ url: URL, _ say: (Terminal.Text) -> Void) async {
        say("\nLog in at\n\n  \(url.absoluteString)\n\nWaiting for the browser, 5 minutes at most. Ctrl-C ends it.")
        try? await BrowserAdapter.openSystemBrowser(url)
    }
}
#endif
