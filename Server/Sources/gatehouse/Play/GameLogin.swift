#if Player
import FakeProviders
import Foundation
import Gatehouse
import GatehouseWire

/// Logs this game's players in: at a page in a browser, or, if a provider has no page, with what the fake world returns instead of a
/// library.
struct GameLogin: AuthAdapter {
    let provider: Provider
    /// The player's name if no person is at the device: a robot goes through the pages of the fake world as that player. The pages of
    /// other providers are for people.
    let robot: (@Sendable () -> String)?

    func logIn(_ request: AdapterRequest) async throws -> Credential {
        let world = request.settings.additionalInfo?["fakeWorld"]?.stringValue
        guard request.settings.hasBrowserLogin ?? false else {
            let robot = robot
            return try await FakeWorldAdapter(provider) {
                robot?() ?? Terminal.ask("Who are you? [alice] ").flatMap { $0.isEmpty ? nil : $0 } ?? "alice"
            }.logIn(request)
        }
        let adapter = BrowserAdapter(
            provider,
            in: .system { url in
                if let robot, world != nil {
                    // The robot opens the page while this task waits for the browser to come back.
                    Task { try? await FakeBrowser(player: robot()).open(url) }
                } else {
                    // The lines of a script on standard output must be JSON.
                    let show = robot == nil ? { Terminal.say($0) } : { Terminal.complain($0) }
                    show("\nLog in at\n\n  \(url.absoluteString)\n\nWaiting for the browser ...")
                    try? await BrowserAdapter.openSystemBrowser(url)
                }
            })
        return try await adapter.logIn(request)
    }
}
#endif
