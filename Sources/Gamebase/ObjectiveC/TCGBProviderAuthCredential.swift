import Foundation
import GatehouseWire

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
