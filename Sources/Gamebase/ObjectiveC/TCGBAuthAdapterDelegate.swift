import Foundation
import GatehouseWire

// A game's own adapter for one identity provider is registered by ``TCGBConfiguration/addAuthAdapter(_:)`` and called on the main
// thread. In Objective-C the optional methods are declared as such; in Swift on other systems they have a default implementation.

#if canImport(ObjectiveC)
/// A game's own adapter for one identity provider.
@objc(TCGBAuthAdapterDelegate)
public protocol TCGBAuthAdapterDelegate {
    /// Lets the player log in at the provider, and completes once with a ``TCGBProviderAuthCredential`` or a ``TCGBError``.
    ///
    /// The call of the game ends with the error's code if it is one that an adapter can know, of Gamebase's domain: 3001 (the player
    /// has cancelled), 3002, 3006 (the library did not start), 3009, 3201, 3202, 3203, 51, 101 or 110. Any other number counts as the
    /// library's own, and is the detail of 3009. An error under `NSUnderlyingErrorKey` is the detail of each.
    @objc(loginWithSender:target:additionalInfo:viewController:completion:)
    func login(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, additionalInfo: [String: Any]?,
        viewController: UIViewController?, completion: @escaping (Any?, TCGBError?) -> Void)

    /// Forgets the player on this device.
    @objc(logoutWithSender:target:completion:)
    func logout(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, completion: @escaping (TCGBError?) -> Void)

    /// The provider's name, such as `facebook`. Without it the name is derived from the class: `TCGBAuthFacebookLogin`.
    @objc optional func providerName() -> String

    // Gamebase's adapters have these methods, but Gatehouse calls none of them: the server revokes the provider's tokens, a mapping
    // begins with a login, and the credential contains what a login returned.

    @objc(withdrawWithSender:target:completion:)
    optional func withdraw(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, completion: @escaping (TCGBError?) -> Void)

    @objc(addMappingWithSender:target:additionalInfo:viewController:completion:)
    optional func addMapping(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, additionalInfo: [String: Any]?,
        viewController: UIViewController?, completion: @escaping (Any?, TCGBError?) -> Void)

    @objc(initializeWithOptions:)
    optional func initialize(options: [String: Any]?)

    @objc optional func authInfosFromProvider() -> TCGBProviderAuthCredential?
    @objc optional func accessToken() -> String?
    @objc optional func userID() -> String?
    @objc optional func profile() -> TCGBAuthProviderProfile?
    @objc optional static func versionString() -> String
}

extension TCGBAuthAdapterDelegate {
    /// The provider's name: the adapter's own, or one derived from its class.
    var registeredName: String { providerName?() ?? AdapterName.provider(ofClass: "\(type(of: self))") }
}
#else
/// A game's own adapter for one identity provider.
public protocol TCGBAuthAdapterDelegate: AnyObject {
    /// Lets the player log in at the provider, and completes once with a ``TCGBProviderAuthCredential`` or a ``TCGBError``.
    ///
    /// The call of the game ends with the error's code if it is one that an adapter can know, of Gamebase's domain: 3001 (the player
    /// has cancelled), 3002, 3006 (the library did not start), 3009, 3201, 3202, 3203, 51, 101 or 110. Any other number counts as the
    /// library's own, and is the detail of 3009. An error under `NSUnderlyingErrorKey` is the detail of each.
    func login(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, additionalInfo: [String: Any]?,
        viewController: UIViewController?, completion: @escaping (Any?, TCGBError?) -> Void)

    /// Forgets the player on this device.
    func logout(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, completion: @escaping (TCGBError?) -> Void)

    /// The provider's name, such as `facebook`. Without it the name is derived from the class: `TCGBAuthFacebookLogin`.
    func providerName() -> String
}

extension TCGBAuthAdapterDelegate {
    /// Completes at once: there is nothing to forget.
    public func logout(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, completion: @escaping (TCGBError?) -> Void
    ) { completion(nil) }

    /// The name that the class says.
    public func providerName() -> String { AdapterName.provider(ofClass: "\(type(of: self))") }

    var registeredName: String { providerName() }
}
#endif

/// The result of a game's own adapter.
#if canImport(ObjectiveC)
@objc(TCGBProviderAuthCredential) @objcMembers
#endif
public final class TCGBProviderAuthCredential: NSObject {
    /// What the provider has issued.
    public var authToken: TCGBProviderAuthToken?
    /// What the provider has told of the player.
    public var authProfile: TCGBProviderAuthProfile?
    /// What else the provider has issued.
    public var authExtra: TCGBProviderAuthExtra?

    /// Makes the value from its parts.
    public static func authCredential(
        authToken: TCGBProviderAuthToken?, authProfile: TCGBProviderAuthProfile?, authExtra: TCGBProviderAuthExtra?
    ) -> TCGBProviderAuthCredential {
        let credential = TCGBProviderAuthCredential()
        credential.authToken = authToken
        credential.authProfile = authProfile
        credential.authExtra = authExtra
        return credential
    }
}

/// The tokens that a provider has issued to a game.
#if canImport(ObjectiveC)
@objc(TCGBProviderAuthToken) @objcMembers
#endif
public final class TCGBProviderAuthToken: NSObject {
    /// The provider's access token. An OpenID Connect ID token is recognised by its form.
    public var accessToken: String?
    /// The provider's refresh token.
    public var refreshToken: String?
    /// The secret of an access token, where the provider issues one.
    public var accessTokenSecret: String?
    /// The lifetime in seconds.
    public var expirationTime = 0
    #if canImport(ObjectiveC)
    /// Whether the provider issues no token, as Game Center does. The credential's `authExtra` then contains what it issued.
    @objc(customAuthType)
    public var isCustomAuthType: Bool {
        @objc(isCustomAuthType) get { hasCustomAuthType }
        @objc(setCustomAuthType:) set { hasCustomAuthType = newValue }
    }
    private var hasCustomAuthType = false
    #else
    /// Whether the provider issues no token, as Game Center does. The credential's `authExtra` then contains what it issued.
    public var isCustomAuthType = false
    #endif

    /// Makes the value from its parts. The spelling of the third name is Gamebase's.
    public static func authToken(
        accessToken: String?, refreshToken: String?, acessTokenSecret: String?, expirationTime: Int
    ) -> TCGBProviderAuthToken {
        let token = TCGBProviderAuthToken()
        token.accessToken = accessToken
        token.refreshToken = refreshToken
        token.accessTokenSecret = acessTokenSecret
        token.expirationTime = expirationTime
        return token
    }
}

/// What a provider has told of the player to a game.
#if canImport(ObjectiveC)
@objc(TCGBProviderAuthProfile) @objcMembers
#endif
public final class TCGBProviderAuthProfile: NSObject {
    /// The player's id at the provider.
    public var userID: String?
    /// The player's name.
    public var name: String?
    /// The player's e-mail address.
    public var email: String?
    /// The address of the player's picture.
    public var profileImageURL: String?

    /// Makes the value from its parts.
    public static func authProfile(
        userID: String?, name: String?, email: String?, profileImageURL: String?
    ) -> TCGBProviderAuthProfile {
        let profile = TCGBProviderAuthProfile()
        profile.userID = userID
        profile.name = name
        profile.email = email
        profile.profileImageURL = profileImageURL
        return profile
    }
}

/// What else a provider issued, with the keys of ``kTCGBAuthLoginWithCredentialAuthExtraKeyname``.
#if canImport(ObjectiveC)
@objc(TCGBProviderAuthExtra) @objcMembers
#endif
public final class TCGBProviderAuthExtra: NSObject {
    /// The dictionary of what was issued.
    public var extra: Any?

    /// Makes the value from a dictionary.
    public static func authExtra(extraDictionary: [String: Any]?) -> TCGBProviderAuthExtra {
        let extra = TCGBProviderAuthExtra()
        extra.extra = extraDictionary
        return extra
    }

    /// The dictionary; nil when ``extra`` is something else.
    public func extraDictionary() -> [String: Any]? { extra as? [String: Any] }
}

/// What a provider has reported about the player since the game started.
#if canImport(ObjectiveC)
@objc(TCGBAuthProviderProfile) @objcMembers
#endif
public final class TCGBAuthProviderProfile: NSObject, Sendable {
    /// The player's id at the provider.
    public let userID: String
    /// What the provider has told, under the provider's own names.
    public var information: [String: Any] { value.foundation }
    private let value: [String: JSONValue]

    init(userID: String, information: [String: JSONValue]) {
        self.userID = userID
        value = information
    }
}
