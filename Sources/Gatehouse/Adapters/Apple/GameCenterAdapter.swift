#if canImport(GameKit)
import Foundation
import GameKit
public import GatehouseWire

#if canImport(UIKit)
import UIKit
private typealias Page = UIViewController
#else
import AppKit
private typealias Page = NSViewController
#endif

/// Game Center, on Apple's systems. The server verifies what Apple has signed about the player.
public struct GameCenterAdapter: AuthAdapter {
    /// Always ``Provider/gameCenter``.
    public let provider: Provider
    /// A simulator without an Apple account can log in where the app's Game Center is a fake one.
    public var additionalInfoKeys: [String]? { [FakeWorldAdapter.playerKey] }
    private let kind: GameCenterProof.Kind

    /// Makes an adapter for Game Center.
    ///
    /// - Parameter provider: the name of the provider, if the app has given it another one.
    /// - Parameter kind: which of the player's ids is signed: ``GameCenterProof/Kind/team``, except in games of Apple Arcade.
    public init(_ provider: Provider = .gameCenter, kind: GameCenterProof.Kind = .team) {
        self.provider = provider
        self.kind = kind
    }

    /// Begins the system's authentication of the player, once.
    public func start(_ settings: ProviderSettings) async throws {
        guard !settings.isFake else { return }
        await GameCenterLogin.shared.watch()
    }

    /// Lets the system sign the player's id, and returns its proof.
    public func logIn(_ request: AdapterRequest) async throws -> Credential {
        if request.settings.isFake { return try await FakeWorldAdapter(provider).logIn(request) }
        switch await GameCenterLogin.shared.logIn(over: request.presentationAnchor) {
        case .authenticated: break
        case .cancelled: throw AdapterError.cancelled
        case .externalLoginRequired: throw AdapterError.externalLoginRequired
        case .failed: throw AdapterError.failed(code: 0, message: "Game Center can't be reached.")
        }
        let player = GKLocalPlayer.local
        // Ids that change with every start would create a new member each time.
        guard player.scopedIDsArePersistent() else { throw AdapterError.externalLoginRequired }
        let (url, signature, salt, timestamp) = try await player.fetchItemsForIdentityVerificationSignature()
        var credential = Credential(provider: provider)
        credential.gameCenter = GameCenterProof(
            publicKeyUrl: url.absoluteString, signature: signature.base64EncodedString(),
            salt: salt.base64EncodedString(), timestamp: timestamp,
            playerId: kind == .game ? player.gamePlayerID : player.teamPlayerID, kind: kind,
            bundleId: Bundle.main.bundleIdentifier ?? "")
        return credential
    }
}

/// Receives the system handler's events. The handler is set once for the whole game.
@MainActor
private final class GameCenterLogin {
    static let shared = GameCenterLogin()
    /// How long the handler may stay silent before the login ends.
    private static let silenceSeconds: UInt64 = 30

    private var flow = GameCenterFlow()
    private var isWatching = false
    private var page: Page?
    private var anchor: PresentationAnchor?
    private var waiting: CheckedContinuation<GameCenterFlow.Outcome, Never>?

    func watch() {
        guard !isWatching else { return }
        isWatching = true
        GKLocalPlayer.local.authenticateHandler = { [weak self] page, error in
            MainActor.assumeIsolated { self?.heard(page, error) }
        }
    }

    private func heard(_ page: Page?, _ error: (any Error)?) {
        if let page {
            self.page = page
            take(.page)
        } else if GKLocalPlayer.local.isAuthenticated {
            take(.authenticated)
        } else if (error as? GKError)?.code == .cancelled {
            take(.cancelled)
        } else {
            take(.failed)
        }
    }

    func logIn(over anchor: PresentationAnchor?) async -> GameCenterFlow.Outcome {
        watch()
        self.anchor = anchor
        let silence = Task {
            if await LiveTime.sleep(seconds: Self.silenceSeconds) { take(.silence) }
        }
        defer { silence.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting = continuation
                follow(flow.begin(isAuthenticated: GKLocalPlayer.local.isAuthenticated))
                // A page that arrived before the login began is shown now.
                if page != nil { take(.page) }
            }
        } onCancel: {
            Task { @MainActor in self.take(.abandoned) }
        }
    }

    private func take(_ event: GameCenterFlow.Event) { follow(flow.take(event)) }

    private func follow(_ step: GameCenterFlow.Step) {
        switch step {
        case .wait: break
        case .show: if !show() { take(.failed) }
        case .end(let outcome):
            waiting?.resume(returning: outcome)
            waiting = nil
        }
    }

    /// Returns false when there is no window to show the page over.
    private func show() -> Bool {
        guard let page, let anchor else { return page == nil }
        self.page = nil
        #if canImport(UIKit)
        guard let top = anchor.rootViewController else { return false }
        top.present(page, animated: true)
        #else
        guard let top = anchor.contentViewController else { return false }
        top.presentAsSheet(page)
        #endif
        return true
    }
}
#endif
