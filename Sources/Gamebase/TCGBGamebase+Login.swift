import Foundation
import Gatehouse
import GatehouseWire

extension TCGBGamebase {
    // MARK: Login (LOGIN)

    /// Logs the player in with an identity provider: `guest`, or one whose page comes up over the view controller.
    ///
    /// It completes with 1 before ``initialize(configuration:completion:)``; 3010 while another call is under way; 3201 when the
    /// provider refuses, and when a player is logged in already, unless `additionalInfo` has
    /// ``kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname``; 3001 when the player closes the page; 3002, 3006, 3009, 3202,
    /// 3203; 7 with the ban; 3701 while the game is not in service; 101, 110.
    public static func login(
        type: String, additionalInfo: [String: Any]?, viewController: UIViewController?, completion: LoginCompletion?
    ) {
        let info = AdditionalInfo(additionalInfo, viewController)
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            let login = try await gatehouse.logIn(
                with: Provider(type), additionalInfo: info.values, replacing: info.ignoresCurrentLogin,
                presenting: await info.anchor(), presenter: info.viewController)
            return TCGBAuthToken(login)
        }
    }

    /// The same as ``login(type:additionalInfo:viewController:completion:)`` without additional information.
    public static func login(type: String, viewController: UIViewController?, completion: LoginCompletion?) {
        login(type: type, additionalInfo: nil, viewController: viewController, completion: completion)
    }

    /// The same as ``login(type:additionalInfo:viewController:completion:)``.
    @nonobjc public static func login(
        withType type: String, additionalInfo: [String: Any]?, viewController: UIViewController?,
        completion: LoginCompletion?
    ) { login(type: type, additionalInfo: additionalInfo, viewController: viewController, completion: completion) }

    /// The same as ``login(type:viewController:completion:)``.
    @nonobjc public static func login(
        withType type: String, viewController: UIViewController?, completion: LoginCompletion?
    ) {
        login(type: type, additionalInfo: nil, viewController: viewController, completion: completion)
    }

    /// Logs the player in with a credential that the game got from a provider itself: a dictionary with the keys
    /// ``kTCGBAuthLoginWithCredentialProviderNameKeyname`` and ``kTCGBAuthLoginWithCredentialAccessTokenKeyname``.
    ///
    /// It completes with 3202 for a dictionary that lacks one of them.
    public static func login(
        credential: [String: Any], viewController: UIViewController?, completion: LoginCompletion?
    ) {
        let bridge = Bridge(completion)
        let replaces = CredentialDictionary.ignoresCurrentLogin(credential)
        guard let credential = CredentialDictionary.credential(credential) else {
            return bridge.refuse(AuthError(client.gatehouse == nil ? .notInitialized : .authIDPLoginInvalidIDPInfo))
        }
        bridge.call { (gatehouse) async throws(AuthError) in
            TCGBAuthToken(try await gatehouse.logIn(with: credential, replacing: replaces))
        }
    }

    /// The same as ``login(credential:viewController:completion:)``.
    @nonobjc public static func login(
        withCredential credential: [String: Any], viewController: UIViewController?, completion: LoginCompletion?
    ) { login(credential: credential, viewController: viewController, completion: completion) }

    /// The same as ``login(credential:viewController:completion:)``.
    @nonobjc public static func login(
        with credential: [String: Any], viewController: UIViewController?, completion: LoginCompletion?
    ) { login(credential: credential, viewController: viewController, completion: completion) }

    /// Logs the player in with the session stored on the device, without a provider and without a page.
    ///
    /// It completes with 3103 when nothing is stored, 3102 when the session has ended, 7 with the ban, 3101 for any other refusal; with
    /// 101 or 110 nothing is lost, and it may be called again.
    public static func loginForLastLoggedInProvider(
        viewController: UIViewController?, completion: LoginCompletion?
    ) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            TCGBAuthToken(try await gatehouse.logInWithLastProvider())
        }
    }

    /// The same as ``loginForLastLoggedInProvider(viewController:completion:)``.
    @nonobjc public static func loginForLastLoggedInProvider(
        with viewController: UIViewController?, completion: LoginCompletion?
    ) { loginForLastLoggedInProvider(viewController: viewController, completion: completion) }

    // MARK: Logout (LOGOUT)

    /// Logs the player out. The member's data stays; the next login asks the provider again. It also succeeds without a network: the
    /// server is informed as soon as it can be reached.
    public static func logout(viewController: UIViewController?, completion: LogoutCompletion?) {
        Bridge<Empty>(completion).call { (gatehouse) async throws(AuthError) -> Void in
            try await gatehouse.logOut()
            client.forgetBan()
        }
    }

    /// The same as ``logout(viewController:completion:)``.
    @nonobjc public static func logout(with viewController: UIViewController?, completion: LogoutCompletion?) {
        logout(viewController: viewController, completion: completion)
    }
}

extension TCGBAuthToken {
    convenience init(_ login: Login) {
        self.init(login.member, provider: login.provider, accessToken: login.session.accessToken)
    }

    /// The token after a mapping, for the session that continues.
    convenience init(_ member: Member, of gatehouse: GatehouseClient) {
        self.init(
            member, provider: gatehouse.currentProvider ?? .guest,
            accessToken: gatehouse.accessToken ?? AccessToken(""))
    }
}

/// The additional information that a game passes to an adapter.
struct AdditionalInfo: Sendable {
    let values: [String: JSONValue]
    let ignoresCurrentLogin: Bool
    let viewController: Unchecked<UIViewController?>

    init(_ info: [String: Any]?, _ viewController: UIViewController?) {
        var values = (info ?? [:]).compactMapValues { JSONValue(foundation: $0) }
        ignoresCurrentLogin = CredentialDictionary.ignoresCurrentLogin(info)
        values[kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname] = nil
        self.values = values
        self.viewController = Unchecked(viewController)
    }

    /// The window that pages come up over.
    @MainActor func anchor() -> PresentationAnchor? {
        #if canImport(UIKit)
        viewController.value?.view.window
        #else
        nil
        #endif
    }
}

/// A credential as a game passes it: a dictionary with Gamebase's keys.
enum CredentialDictionary {
    /// Nil for a dictionary without the provider or without what the provider issued.
    static func credential(_ info: [String: Any]) -> Credential? {
        func text(_ key: String) -> String? {
            guard let text = info[key] as? String, !text.isEmpty else { return nil }
            return text
        }
        guard let name = text(kTCGBAuthLoginWithCredentialProviderNameKeyname) else { return nil }
        let provider = Provider(name)
        let token = text(kTCGBAuthLoginWithCredentialAccessTokenKeyname)
        let code = text(kTCGBAuthLoginWithCredentialAuthorizationCodeKeyname)
        let proof =
            GameCenterDictionary.proof(info)
            ?? (info[kTCGBAuthLoginWithCredentialAuthExtraKeyname] as? [String: Any]).flatMap(
                GameCenterDictionary.proof)
        guard provider == .guest || token != nil || code != nil || proof != nil else { return nil }
        var credential = token.map { self.credential(provider, token: $0) } ?? Credential(provider: provider)
        credential.authorizationCode = code.map { ProviderToken($0) }
        credential.codeVerifier = text(kTCGBAuthLoginWithCredentialCodeVerifierKeyname).map { ProviderToken($0) }
        credential.redirectUri = text(kTCGBAuthLoginWithCredentialRedirectURIKeyname)
        credential.region = text(kTCGBAuthLoginWithCredentialLineChannelRegionKeyname)
        credential.gameCenter = proof
        return credential
    }

    static func ignoresCurrentLogin(_ info: [String: Any]?) -> Bool {
        switch info?[kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname] {
        case let value as Bool: value
        case let value as NSNumber: value.boolValue
        default: false
        }
    }

    /// Gamebase has one key for both kinds of token: a token of three parts whose first is a JSON object with an algorithm is an ID
    /// token.
    static func credential(_ provider: Provider, token: String) -> Credential {
        guard isJWT(token) else { return Credential(provider: provider, accessToken: ProviderToken(token)) }
        return Credential(provider: provider, idToken: ProviderToken(token))
    }

    private static func isJWT(_ token: String) -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[0])) else { return false }
        return (try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)))?.objectValue?["alg"] != nil
    }
}

/// What Game Center has signed for a player, as a dictionary: in the form of `fetchItems(forIdentityVerificationSignature:)`, or as
/// text.
enum GameCenterDictionary {
    /// Nil for a dictionary that lacks a part.
    static func proof(_ info: [String: Any]) -> GameCenterProof? {
        guard let url = url(info[kTCGBAuthLoginWithCredentialGameCenterPublicKeyURLKeyname] ?? info["publicKeyUrl"]),
            let signature = base64(info[kTCGBAuthLoginWithCredentialGameCenterSignatureKeyname]),
            let salt = base64(info[kTCGBAuthLoginWithCredentialGameCenterSaltKeyname]),
            let timestamp = number(info[kTCGBAuthLoginWithCredentialGameCenterTimestampKeyname]),
            let player = text(info[kTCGBAuthLoginWithCredentialGameCenterPlayerIDKeyname] ?? info["playerId"]),
            let bundle = text(info[kTCGBAuthLoginWithCredentialGameCenterBundleIDKeyname] ?? info["bundleId"])
                ?? Bundle.main.bundleIdentifier
        else { return nil }
        // A player's id in one game begins with A:, and the one in all of the team's games with T:.
        let kind = text(info["kind"]).map { GameCenterProof.Kind($0) } ?? (player.hasPrefix("A:") ? .game : .team)
        return GameCenterProof(
            publicKeyUrl: url, signature: signature, salt: salt, timestamp: timestamp, playerId: player, kind: kind,
            bundleId: bundle)
    }

    private static func text(_ value: Any?) -> String? {
        guard let text = value as? String, !text.isEmpty else { return nil }
        return text
    }

    private static func url(_ value: Any?) -> String? { (value as? URL)?.absoluteString ?? text(value) }

    private static func base64(_ value: Any?) -> String? {
        guard let data = value as? Data else { return text(value) }
        return data.isEmpty ? nil : data.base64EncodedString()
    }

    private static func number(_ value: Any?) -> UInt64? {
        switch value {
        case let value as UInt64: value
        case let value as Int: UInt64(exactly: value)
        case let value as Int64: UInt64(exactly: value)
        case let value as NSNumber: UInt64(exactly: value)
        case let value as String: UInt64(value)
        default: nil
        }
    }
}
