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
            guard let world else {
                throw AdapterError.failed(code: 1, message: "\(provider) has no page, and this game no library for it.")
            }
            return try await signIn(at: world)
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

    private func signIn(at world: String) async throws -> Credential {
        guard let url = URL(string: "\(world)/world/sign-in"), url.host == "127.0.0.1" else {
            throw AdapterError.failed(code: 1, message: "There is no fake world.")
        }
        let player = robot?() ?? Terminal.ask("Who are you? [alice] ").flatMap { $0.isEmpty ? nil : $0 } ?? "alice"
        let body = try JSONEncoder().encode(["provider": provider.rawValue, "player": player])
        let answer = try await Gatehouse.Environment.live().send(
            TransportRequest(
                method: "POST", url: url, headers: ["Content-Type": "application/json"], body: body, timeoutSeconds: 10)
        )
        guard answer.status == 200 else {
            throw AdapterError.failed(code: answer.status, message: "The fake provider answered \(answer.status).")
        }
        return try JSONDecoder().decode(Credential.self, from: answer.body)
    }
}
#endif
