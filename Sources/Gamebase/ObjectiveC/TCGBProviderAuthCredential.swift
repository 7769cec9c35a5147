import Foundation
import GatehouseWire

/// The result of a game's own adapter.
#if canImport(ObjectiveC)
@objc(TCGBProviderAuthCredential) @objcMembers
#endif
public final class TCGBProviderAuthCredential: NSObject {
    public var authToken: TCGBProviderAuthToken?
    public var authProfile: TCGBProviderAuthProfile?
    public var authExtra: TCGBProviderAuthExtra?

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

#if canImport(ObjectiveC)
@objc(TCGBProviderAuthToken) @objcMembers
#endif
public final class TCGBProviderAuthToken: NSObject {
    public var accessToken: String?
    public var refreshToken: String?
    public var accessTokenSecret: String?
    /// The lifetime in seconds.
    public var expirationTime = 0
    /// Whether the provider issues no token, as Game Center does. The credential's `authExtra` then contains what it issued.
    #if canImport(ObjectiveC)
    @objc(customAuthType)
    public var isCustomAuthType: Bool {
        @objc(isCustomAuthType) get { hasCustomAuthType }
        @objc(setCustomAuthType:) set { hasCustomAuthType = newValue }
    }
    private var hasCustomAuthType = false
    #else
    public var isCustomAuthType = false
    #endif

    // The spelling of the third name is Gamebase's.
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

#if canImport(ObjectiveC)
@objc(TCGBProviderAuthProfile) @objcMembers
#endif
public final class TCGBProviderAuthProfile: NSObject {
    public var userID: String?
    public var name: String?
    public var email: String?
    public var profileImageURL: String?

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
    public var extra: Any?

    public static func authExtra(extraDictionary: [String: Any]?) -> TCGBProviderAuthExtra {
        let extra = TCGBProviderAuthExtra()
        extra.extra = extraDictionary
        return extra
    }

    public func extraDictionary() -> [String: Any]? { extra as? [String: Any] }
}

/// What a provider has reported about the player since the game started.
#if canImport(ObjectiveC)
@objc(TCGBAuthProviderProfile) @objcMembers
#endif
public final class TCGBAuthProviderProfile: NSObject, Sendable {
    public let userID: String
    public var information: [String: Any] { value.foundation }
    private let value: [String: JSONValue]

    init(userID: String, information: [String: JSONValue]) {
        self.userID = userID
        value = information
    }
}
