public import Foundation
import GatehouseWire

/// An adapter of a game's own for one identity provider: registered by ``TCGBConfiguration/addAuthAdapter(_:)``, and called on the
/// main thread.
public protocol TCGBAuthAdapterDelegate: AnyObject {
    /// The provider's name, such as `facebook`.
    func providerName() -> String

    /// Lets the player log in at the provider, and completes with what it issued, once.
    func login(
        sender: Any?, target: Any?, additionalInfo: [String: Any]?, viewController: UIViewController?,
        completion: @escaping (TCGBProviderAuthCredential?, (any Error)?) -> Void)

    /// Forgets the player on this device.
    func logout(sender: Any?, completion: @escaping ((any Error)?) -> Void)
}

extension TCGBAuthAdapterDelegate {
    public func logout(sender: Any?, completion: @escaping ((any Error)?) -> Void) { completion(nil) }
}

/// What an adapter of a game's own brings.
#if canImport(ObjectiveC)
@objc(TCGBProviderAuthCredential) @objcMembers
#endif
public final class TCGBProviderAuthCredential: NSObject {
    public var authToken: TCGBProviderAuthToken?
    public var authProfile: TCGBProviderAuthProfile?
    public var authExtra: [String: Any]?
}

#if canImport(ObjectiveC)
@objc(TCGBProviderAuthToken) @objcMembers
#endif
public final class TCGBProviderAuthToken: NSObject {
    public var accessToken: String?
    public var refreshToken: String?
    public var accessTokenSecret: String?
    public var expirationTime: NSNumber?
    public var customAuthType: String?
}

#if canImport(ObjectiveC)
@objc(TCGBProviderAuthProfile) @objcMembers
#endif
public final class TCGBProviderAuthProfile: NSObject {
    public var userID: String?
    public var name: String?
    public var email: String?
    public var profileImageURL: String?
}

/// What a provider has told of the player, in this run of the game.
#if canImport(ObjectiveC)
@objc(TCGBAuthProviderProfile) @objcMembers
#endif
public final class TCGBAuthProviderProfile: NSObject, @unchecked Sendable {
    public let userID: String
    public let information: [String: Any]

    init(userID: String, information: [String: JSONValue]) {
        self.userID = userID
        self.information = information.mapValues(\.foundation)
    }
}
