#if Player
import FakeProviders
import Foundation
import Gatehouse
import GatehouseWire

/// How this game's players log in: at a page, in a browser; where a provider has no page, with what the fake world gives in
/// place of a library.
struct GameLogin: AuthAdapter {
    let provider: Provider
    /// Who sits at the device, where nobody is to be asked: a robot goes through the pages of the fake world as that player. The
    /// pages of other providers are for people.
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
                    // The page that comes back is waited for meanwhile.
                    Task { try? await FakeBrowser(player: robot()).open(url) }
                } else {
                    // A script's lines on standard output are JSON.
                    let show = robot == nil ? { Terminal.say($0) } : { Terminal.complain($0) }
                    show("\nLog in at\n\n  \(url.absoluteString)\n\nWaiting for the browser ...")
                    try? await BrowserAdapter.openSystemBrowser(url)
                }
            })
        return try await adapter.logIn(request)
    }
}
#endif
