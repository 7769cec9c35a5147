import Gamebase

/// The title screen's output and input. A game has views for it; the example has a terminal.
public protocol TitleScreenView: AnyObject {
    func show(_ text: String)
    /// Lets the player choose one of the options, and calls back on the main thread.
    func choose(_ question: String, from options: [String], _ answer: @escaping (String) -> Void)
    /// Lets the player type something, and calls back on the main thread.
    func ask(_ question: String, _ answer: @escaping (String) -> Void)
}

/// The login flow of Gamebase's guides: last provider, retry, ban notice, choice of a provider; then a lobby with mapping and its
/// conflicts, transfer to a new device, and withdrawal with a grace period.
public final class TitleScreen {
    let view: TitleScreenView
    private let configuration: TCGBConfiguration
    private let onEnd: () -> Void
    /// A game passes its own view controller, over which login pages come up.
    let viewController = UIViewController()
    private var isListening = false

    public init(view: TitleScreenView, configuration: TCGBConfiguration, onEnd: @escaping () -> Void) {
        self.view = view
        self.configuration = configuration
        self.onEnd = onEnd
    }

    // MARK: Initialization

    public func start() {
        listen()
        TCGBGamebase.initialize(configuration: configuration) { _, error in
            if let error {
                self.view.show("Can't start: \(error.message) (\(error.code))")
                return self.retryOrQuit { self.start() }
            }
            switch TCGBLaunching.launchingStatus() {
            case .IN_SERVICE, .RECOMMEND_UPDATE, .IN_SERVICE_BY_QA_WHITE_LIST, .IN_TEST, .IN_REVIEW, .IN_BETA:
                self.loginForLastLoggedInProvider()
            default:
                self.view.show("Not in service: \(self.launchingMessage)")
                self.retryOrQuit { self.start() }
            }
        }
    }

    private var launchingMessage: String {
        let information = TCGBLaunching.launchingInformations() ?? [:]
        return TCGBUtil.extractValue(fromJson: information, searchString: "launching.status.message") as? String ?? ""
    }

    func retryOrQuit(_ retry: @escaping () -> Void) {
        view.choose("What now?", from: ["Retry", "Quit"]) { $0 == "Retry" ? retry() : self.onEnd() }
    }

    /// Handles events that the game itself has not caused.
    private func listen() {
        guard !isListening else { return }
        isListening = true
        TCGBGamebase.addEventHandler { [weak self] message in
            guard let self else { return }
            switch message.category {
            case TCGBGamebaseEventCategory.loggedOut.rawValue: self.view.show("Event: logged out")
            case TCGBGamebaseEventCategory.serverPushAppKickout.rawValue: self.view.show("Event: kicked out")
            case TCGBGamebaseEventCategory.serverPushTransferKickout.rawValue:
                self.view.show("Event: moved to another device")
            case TCGBGamebaseEventCategory.observerHeartbeat.rawValue:
                let data = TCGBGamebaseEventObserverData.gamebaseEventObserverData(jsonString: message.data)
                self.view.show(data.code == TCGB_ERROR_BANNED_MEMBER ? "Event: banned" : "Event: this account is gone")
            case TCGBGamebaseEventCategory.observerLaunching.rawValue:
                let data = TCGBGamebaseEventObserverData.gamebaseEventObserverData(jsonString: message.data)
                self.view.show("Event: status \(data.code)")
            default: break
            }
        }
    }

    // MARK: 1. Authenticate with the latest login type

    /// Call this when the game comes back from the background.
    public func loginAgain() { loginForLastLoggedInProvider() }

    func loginForLastLoggedInProvider() {
        TCGBGamebase.loginForLastLoggedInProvider(viewController: viewController) { token, error in
            if let token, TCGBGamebase.isSuccess(error: error) { return self.didLogIn(token) }
            guard let error else { return }
            switch TCGBErrorCode(rawValue: error.code) {
            case .ERROR_SOCKET_ERROR, .ERROR_SOCKET_RESPONSE_TIMEOUT:
                // Nothing is lost, and the call may be repeated.
                self.view.show("No network (\(error.code))")
                self.retryOrQuit { self.loginForLastLoggedInProvider() }
            case .ERROR_BANNED_MEMBER:
                self.showBan(error)
                self.chooseProvider()
            default:
                // The stored session is no longer valid, but the provider is still known. A guest would start from the beginning, so
                // the player decides.
                guard let last = TCGBGamebase.lastLoggedInProvider(), last != kTCGBAuthGuest else {
                    return self.chooseProvider()
                }
                self.login(last)
            }
        }
    }

    private func showBan(_ error: TCGBError) {
        guard let ban = TCGBBanInfo.banInfo(fromError: error) else { return }
        view.show("Banned (\(ban.banType)): \(ban.message)")
    }

    // MARK: 2. Authenticate with a specified provider

    static let providers = [
        ("Guest", kTCGBAuthGuest), ("Google", kTCGBAuthGoogle), ("Facebook", kTCGBAuthFacebook),
        ("Apple", kTCGBAuthAppleID),
    ]

    func chooseProvider() {
        view.choose("Log in with", from: Self.providers.map(\.0) + ["From another device", "Quit"]) { choice in
            if let provider = Self.providers.first(where: { $0.0 == choice }) { return self.login(provider.1) }
            choice == "Quit" ? self.onEnd() : self.transferHere()
        }
    }

    private func login(_ type: String) {
        TCGBGamebase.login(type: type, viewController: viewController) { token, error in
            if let token, TCGBGamebase.isSuccess(error: error) { return self.didLogIn(token) }
            guard let error else { return }
            switch TCGBErrorCode(rawValue: error.code) {
            case .ERROR_SOCKET_ERROR, .ERROR_SOCKET_RESPONSE_TIMEOUT:
                self.view.show("No network (\(error.code))")
                self.retryOrQuit { self.login(type) }
            case .ERROR_BANNED_MEMBER:
                self.showBan(error)
                self.chooseProvider()
            case .ERROR_AUTH_USER_CANCELED:
                self.view.show("Cancelled")
                self.chooseProvider()
            default:
                self.view.show("Login failed: \(error.message) (\(error.code))")
                self.chooseProvider()
            }
        }
    }

    func didLogIn(_ token: TCGBAuthToken) {
        view.show("Hello \(token.tcgbMember.userId) by \(TCGBGamebase.currentProvider() ?? "")")
        if let graceBan = token.tcgbMember.graceBanInfo {
            view.show("Settle this in time: \(graceBan.message.removingPercentEncoding ?? "")")
        }
        guard token.tcgbMember.temporaryWithdrawal != nil else { return lobby() }
        view.choose("This account will be deleted.", from: ["Keep it", "Play on"]) { choice in
            choice == "Keep it" ? self.cancelWithdrawal() : self.lobby()
        }
    }

    func end() { onEnd() }
}
