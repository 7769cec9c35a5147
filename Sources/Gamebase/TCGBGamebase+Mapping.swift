import Foundation
import Gatehouse
import GatehouseWire

extension TCGBGamebase {
    /// Maps an identity of a provider to the logged-in member. A guest's own identity ends with its first mapping.
    ///
    /// It completes with 2 without a login; 3305 for `guest`; 3303 when the member has an identity of this provider; 3302 when the
    /// identity belongs to another member, with a ``TCGBForcingMappingTicket``; 7 when that member is banned; 3001, 3002, 3006, 3009,
    /// 3203, 3301, 3304, 3010, 101, 110.
    public static func addMapping(
        type: String, additionalInfo: [String: Any]?, viewController: UIViewController?, completion: LoginCompletion?
    ) {
        let info = AdditionalInfo(additionalInfo, viewController)
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            let member = try await gatehouse.addMapping(
                Provider(type), additionalInfo: info.values, presenting: await info.anchor(),
                presenter: info.viewController)
            return TCGBAuthToken(member, of: gatehouse)
        }
    }

    /// The same as ``addMapping(type:additionalInfo:viewController:completion:)`` without additional information.
    public static func addMapping(type: String, viewController: UIViewController?, completion: LoginCompletion?) {
        addMapping(type: type, additionalInfo: nil, viewController: viewController, completion: completion)
    }

    /// The same as ``addMapping(type:additionalInfo:viewController:completion:)``.
    @nonobjc public static func addMapping(
        withType type: String, additionalInfo: [String: Any]?, viewController: UIViewController?,
        completion: LoginCompletion?
    ) { addMapping(type: type, additionalInfo: additionalInfo, viewController: viewController, completion: completion) }

    /// The same as ``addMapping(type:viewController:completion:)``.
    @nonobjc public static func addMapping(
        withType type: String, viewController: UIViewController?, completion: LoginCompletion?
    ) { addMapping(type: type, additionalInfo: nil, viewController: viewController, completion: completion) }

    /// Maps an identity with a credential that the game got from a provider itself, as at a login.
    ///
    /// It completes with 3304 for a dictionary that lacks something.
    public static func addMapping(
        credential: [String: Any], viewController: UIViewController?, completion: LoginCompletion?
    ) {
        let bridge = Bridge(completion)
        guard let credential = CredentialDictionary.credential(credential) else {
            return bridge.refuse(AuthError(client.gatehouse == nil ? .notInitialized : .authAddMappingInvalidIDPInfo))
        }
        bridge.call { (gatehouse) async throws(AuthError) in
            let member = try await gatehouse.addMapping(credential)
            return TCGBAuthToken(member, of: gatehouse)
        }
    }

    /// The same as ``addMapping(credential:viewController:completion:)``.
    @nonobjc public static func addMapping(
        withCredential credential: [String: Any], viewController: UIViewController?, completion: LoginCompletion?
    ) { addMapping(credential: credential, viewController: viewController, completion: completion) }

    /// The same as ``addMapping(credential:viewController:completion:)``.
    @nonobjc public static func addMapping(
        with credential: [String: Any], viewController: UIViewController?, completion: LoginCompletion?
    ) { addMapping(credential: credential, viewController: viewController, completion: completion) }

    /// Moves the identity of a ticket from its other member to the one that is logged in.
    ///
    /// It completes with 3311 for a ticket that is unknown or of another login, 3312 for a used one, 3313 for one that has expired,
    /// 3314 and 3315 for one that does not fit.
    public static func addMappingForcibly(
        ticket: TCGBForcingMappingTicket, viewController: UIViewController?, completion: LoginCompletion?
    ) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            let member = try await gatehouse.addMapping(forcing: ticket.value)
            return TCGBAuthToken(member, of: gatehouse)
        }
    }

    /// The same as ``addMappingForcibly(ticket:viewController:completion:)``.
    @nonobjc public static func addMappingForcibly(
        with ticket: TCGBForcingMappingTicket, viewController: UIViewController?, completion: LoginCompletion?
    ) { addMappingForcibly(ticket: ticket, viewController: viewController, completion: completion) }

    /// Logs in as the ticket's other member. If anything fails, the current login stays as it was.
    public static func changeLogin(
        forcingMappingTicket: TCGBForcingMappingTicket, viewController: UIViewController?, completion: LoginCompletion?
    ) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            TCGBAuthToken(try await gatehouse.changeLogin(with: forcingMappingTicket.value))
        }
    }

    /// The same as ``changeLogin(forcingMappingTicket:viewController:completion:)``.
    @nonobjc public static func changeLogin(
        with ticket: TCGBForcingMappingTicket, viewController: UIViewController?, completion: LoginCompletion?
    ) { changeLogin(forcingMappingTicket: ticket, viewController: viewController, completion: completion) }

    /// The same as ``changeLogin(forcingMappingTicket:viewController:completion:)``.
    @nonobjc public static func changeLogin(
        withForcingMappingTicket ticket: TCGBForcingMappingTicket, viewController: UIViewController?,
        completion: LoginCompletion?
    ) { changeLogin(forcingMappingTicket: ticket, viewController: viewController, completion: completion) }

    /// Removes the mapping of a provider.
    ///
    /// It completes with 3401 for a provider that is not mapped, 3402 for the last one, 3403 for the provider of the current login.
    public static func removeMapping(
        type: String, viewController: UIViewController?, completion: RemoveMappingCompletion?
    ) {
        Bridge<Empty>(completion).call { (gatehouse) async throws(AuthError) -> Void in
            try await gatehouse.removeMapping(Provider(type))
        }
    }

    /// The same as ``removeMapping(type:viewController:completion:)``.
    @nonobjc public static func removeMapping(
        withType type: String, viewController: UIViewController?, completion: RemoveMappingCompletion?
    ) { removeMapping(type: type, viewController: viewController, completion: completion) }
}
