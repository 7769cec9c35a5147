import FakeProviders
import Foundation

/// A player at a device with a browser, which remembers the providers' own logins, as every real one does.
final class BrowsingPlayer: @unchecked Sendable {  // Everything is touched with the lock held.
    private let lock = NSLock()
    private var name: String
    private var profiles = [FakeBrowser.Profile()]
    private var addresses: [URL] = []

    /// What the player does at a provider's page.
    private let action: FakeBrowser.Action

    init(_ name: String, action: FakeBrowser.Action = .login) {
        self.name = name
        self.action = action
    }

    var player: String {
        get { lock.withLock { name } }
        set { lock.withLock { name = newValue } }
    }

    /// How often a provider has asked for the player, in any window.
    var timesAsked: Int { lock.withLock { profiles.map(\.timesAsked).reduce(0, +) } }

    /// The parameters of the page that was opened last.
    var lastPage: [String: String] {
        let url = lock.withLock { addresses.last }
        let items = url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    func open(_ url: URL, privately: Bool = false) {
        let browser = lock.withLock {
            addresses.append(url)
            if privately { profiles.append(FakeBrowser.Profile()) }
            let profile = privately ? profiles[profiles.count - 1] : profiles[0]
            return FakeBrowser(player: name, action: action, profile: profile)
        }
        // The robot opens the page while this task waits for the browser to come back.
        Task { try await browser.open(url) }
    }
}
