import Foundation

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
