import Foundation

enum StudioError: Error { case noClientID }

enum StudioLibrary {
    enum Outcome: Sendable {
        case token(String)
        case closed
        case failed(Int)
    }

    @MainActor static func prepare(clientID: String) {}
    @MainActor static func showLogin(theme: String) async -> Outcome { .closed }
    @MainActor static func forgetPlayer() {}
}

enum OwnBrowser {
    @MainActor static func show(_ url: URL) {}
}
