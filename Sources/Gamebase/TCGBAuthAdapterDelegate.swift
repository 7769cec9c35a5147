import Foundation

// An adapter of a game's own for one identity provider: registered by ``TCGBConfiguration/addAuthAdapter(_:)``, and called on the main
// thread. Objective-C has methods that an adapter may leave out, Swift elsewhere has methods with a body.

#if canImport(ObjectiveC)
/// An adapter of a game's own for one identity provider.
@objc(TCGBAuthAdapterDelegate)
public protocol TCGBAuthAdapterDelegate {
    /// Lets the player log in at the provider, and completes with a ``TCGBProviderAuthCredential``, once. A player who turned back is
    /// a ``TCGBError`` with code 3001; another error keeps its own code as the detail of 3009.
    @objc(loginWithSender:target:additionalInfo:viewController:completion:)
    func login(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, additionalInfo: [String: Any]?,
        viewController: UIViewController?, completion: @escaping (Any?, TCGBError?) -> Void)

    /// Forgets the player on this device.
    @objc(logoutWithSender:target:completion:)
    func logout(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, completion: @escaping (TCGBError?) -> Void)

    /// The provider's name, such as `facebook`. Without it the name of the class tells: `TCGBAuthFacebookLogin`.
    @objc optional func providerName() -> String

    // Gamebase's adapters have these. Gatehouse calls none of them: the server ends what it keeps at the provider, a mapping begins
    // with a login, and what a login brought is in its credential.

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
    /// The provider's name as the adapter gives it, or as its class is called.
    var registeredName: String { providerName?() ?? AdapterName.provider(ofClass: "\(type(of: self))") }
}
#else
/// An adapter of a game's own for one identity provider.
public protocol TCGBAuthAdapterDelegate: AnyObject {
    /// Lets the player log in at the provider, and completes with a ``TCGBProviderAuthCredential``, once. A player who turned back is
    /// a ``TCGBError`` with code 3001; another error keeps its own code as the detail of 3009.
    func login(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, additionalInfo: [String: Any]?,
        viewController: UIViewController?, completion: @escaping (Any?, TCGBError?) -> Void)

    /// Forgets the player on this device.
    func logout(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, completion: @escaping (TCGBError?) -> Void)

    /// The provider's name, such as `facebook`. Without it the name of the class tells: `TCGBAuthFacebookLogin`.
    func providerName() -> String
}

extension TCGBAuthAdapterDelegate {
    public func logout(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, completion: @escaping (TCGBError?) -> Void
    ) { completion(nil) }

    public func providerName() -> String { AdapterName.provider(ofClass: "\(type(of: self))") }

    var registeredName: String { providerName() }
}
#endif

/// How Gamebase names an adapter's class.
enum AdapterName {
    /// `facebook` for `TCGBAuthFacebookLogin`; the class's own name for any other.
    static func provider(ofClass name: String) -> String {
        guard name.hasPrefix("TCGBAuth"), name.hasSuffix("Login"), name.count > 13 else { return name }
        return name.dropFirst(8).dropLast(5).lowercased()
    }
}
