import Foundation
import Gatehouse
import GatehouseWire

// Methods of older versions of Gamebase, each with its replacement.
extension TCGBGamebase {
    /// The player's id at an identity provider that is mapped (INFO-2).
    @available(*, deprecated, message: "Ask on the game's server: the Server API's \"Get IdP Token and Profiles\".")
    @nonobjc public static func authProviderUserID(idPCode: String) -> String? { subject(idPCode) }

    /// The same as ``authProviderUserID(idPCode:)``.
    @available(*, deprecated, message: "Ask on the game's server: the Server API's \"Get IdP Token and Profiles\".")
    public static func authProviderUserID(withIDPCode idPCode: String) -> String? { subject(idPCode) }

    /// The provider's access token from this login (by page or by credential), or from a later mapping. Nil after a login with the last
    /// provider, without a login, and after a page login if the operator has configured the server not to keep the token.
    @available(*, deprecated, message: "Ask on the game's server: the Server API's \"Get IdP Token and Profiles\".")
    @nonobjc public static func authProviderAccessToken(idPCode: String) -> String? { issued(idPCode) }

    /// The same as ``authProviderAccessToken(idPCode:)``.
    @available(*, deprecated, message: "Ask on the game's server: the Server API's \"Get IdP Token and Profiles\".")
    public static func authProviderAccessToken(withIDPCode idPCode: String) -> String? { issued(idPCode) }

    /// What is known of the player at an identity provider that is mapped: the id, and what the provider has told at this login, by page
    /// or by credential, or at a mapping since. Nil after a login with the last provider, and without a login.
    @available(*, deprecated, message: "Ask on the game's server: the Server API's \"Get IdP Token and Profiles\".")
    @nonobjc public static func authProviderProfile(idPCode: String) -> TCGBAuthProviderProfile? { profile(idPCode) }

    /// The same as ``authProviderProfile(idPCode:)``.
    @available(*, deprecated, message: "Ask on the game's server: the Server API's \"Get IdP Token and Profiles\".")
    public static func authProviderProfile(withIDPCode idPCode: String) -> TCGBAuthProviderProfile? { profile(idPCode) }

    private static func subject(_ idPCode: String) -> String? {
        guard let gatehouse = client.gatehouse else { return nil }
        switch gatehouse.state {
        case .signedIn(let member) where gatehouse.userID == member.userId,
            .offline(let member) where gatehouse.userID == member.userId:
            return member.mappings.first { $0.provider.rawValue == idPCode }?.subject
        default: return nil
        }
    }

    private static func issued(_ idPCode: String) -> String? {
        guard subject(idPCode) != nil else { return nil }
        let profile = client.gatehouse?.providerProfile(of: Provider(idPCode))
        return (profile?.accessToken ?? profile?.idToken)?.secretValue
    }

    private static func profile(_ idPCode: String) -> TCGBAuthProviderProfile? {
        guard let subject = subject(idPCode), let told = client.gatehouse?.providerProfile(of: Provider(idPCode))
        else { return nil }
        return TCGBAuthProviderProfile(userID: subject, information: told.profile)
    }

    /// The ban that keeps this player out, from the last error or event; nil once the player is logged in again.
    @available(*, deprecated, message: "Read the ban from the error: TCGBBanInfo.banInfo(fromError:).")
    public static func banInfo() -> TCGBBanInfo? { client.lastBan }

    /// The same as ``deviceLanguageCode()``.
    @available(*, deprecated, renamed: "deviceLanguageCode()")
    public static func languageCode() -> String { deviceLanguageCode() }

    /// Maps an identity with the key of a ticket. The key must be that of the last conflict's ticket.
    @available(*, deprecated, renamed: "addMappingForcibly(ticket:viewController:completion:)")
    public static func addMappingForcibly(
        type: String, forcingMappingKey: String, viewController: UIViewController?, completion: LoginCompletion?
    ) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            let ticket = try client.ticket(type: type, key: forcingMappingKey)
            let member = try await gatehouse.addMapping(forcing: ticket)
            return TCGBAuthToken(member, of: gatehouse)
        }
    }

    /// The same as ``addMappingForcibly(type:forcingMappingKey:viewController:completion:)``. Additional information has no use here.
    @available(*, deprecated, renamed: "addMappingForcibly(ticket:viewController:completion:)")
    public static func addMappingForcibly(
        type: String, forcingMappingKey: String, additionalInfo: [String: Any]?, viewController: UIViewController?,
        completion: LoginCompletion?
    ) {
        addMappingForcibly(
            type: type, forcingMappingKey: forcingMappingKey, viewController: viewController, completion: completion)
    }

    /// The same as ``addMappingForcibly(type:forcingMappingKey:viewController:completion:)``, for the credential's provider.
    @available(*, deprecated, renamed: "addMappingForcibly(ticket:viewController:completion:)")
    public static func addMapping(
        credential: [String: Any], forcingMappingKey: String, viewController: UIViewController?,
        completion: LoginCompletion?
    ) {
        let type = credential[kTCGBAuthLoginWithCredentialProviderNameKeyname] as? String ?? ""
        addMappingForcibly(
            type: type, forcingMappingKey: forcingMappingKey, viewController: viewController, completion: completion)
    }

    // MARK: Server push and observers of 2.x's beginning

    /// Adds a handler for kick-outs and transfers. It is called on the main thread.
    @available(*, deprecated, renamed: "addEventHandler(_:)")
    public static func addServerPushEvent(_ handler: @escaping ServerPushEventHandler) {
        client.events.serverPush.add(HandlerToken(handler)) { handler($0) }
    }

    /// Removes a handler that was added with ``addServerPushEvent(_:)``.
    @available(*, deprecated, renamed: "removeEventHandler(_:)")
    public static func removeServerPushEvent(_ handler: @escaping ServerPushEventHandler) {
        client.events.serverPush.remove(HandlerToken(handler))
    }

    /// Removes all handlers that were added with ``addServerPushEvent(_:)``.
    @available(*, deprecated, renamed: "removeAllEventHandler()")
    public static func removeAllServerPushEvent() { client.events.serverPush.removeAll() }

    /// Adds a handler for changes of the game's status, of the network and of the player's account. It is called on the main thread.
    @available(*, deprecated, renamed: "addEventHandler(_:)")
    public static func addObserver(_ handler: @escaping ObserverHandler) {
        client.events.observers.add(HandlerToken(handler)) { handler($0) }
    }

    /// Removes a handler that was added with ``addObserver(_:)``.
    @available(*, deprecated, renamed: "removeEventHandler(_:)")
    public static func removeObserver(_ handler: @escaping ObserverHandler) {
        client.events.observers.remove(HandlerToken(handler))
    }

    /// Removes all handlers that were added with ``addObserver(_:)``.
    @available(*, deprecated, renamed: "removeAllEventHandler()")
    public static func removeAllObserver() { client.events.observers.removeAll() }
}
