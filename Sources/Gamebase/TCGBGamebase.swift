// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation
import Gatehouse
import GatehouseWire

/// Receives the launching information, or the error of a start.
public typealias InitializeCompletion = ([String: Any]?, TCGBError?) -> Void
/// Receives the token and the member of a login or a mapping, or its error.
public typealias LoginCompletion = (TCGBAuthToken?, TCGBError?) -> Void
/// Receives the error of a logout; nil when it has succeeded.
public typealias LogoutCompletion = (TCGBError?) -> Void
/// Receives the error of a withdrawal; nil when it has succeeded.
public typealias WithdrawCompletion = (TCGBError?) -> Void
/// Receives the end of the grace period, or the error.
public typealias TemporaryWithdrawCompletion = (TCGBTemporaryWithdrawalInfo?, TCGBError?) -> Void
/// Receives the error of a removal; nil when it has succeeded.
public typealias RemoveMappingCompletion = (TCGBError?) -> Void
/// Receives a transfer account, or the error.
public typealias TransferAccountCompletion = (TCGBTransferAccountInfo?, TCGBError?) -> Void
/// Receives a transfer key, or the error.
public typealias TransferKeyCompletion = (TCGBTransferKeyInfo?, TCGBError?) -> Void

/// Gamebase's API over Gatehouse: a game that was written for Gamebase builds after changing the package.
///
/// Every method returns at once and may be called from any thread. A completion is called exactly once, on the main thread, even after
/// misuse, with the code that names the mistake. This class has no rules of its own: each method is a line or two over the actor
/// `GatehouseClient`.
#if canImport(ObjectiveC)
@objc(TCGBGamebase) @objcMembers
#endif
public final class TCGBGamebase: NSObject {}

extension TCGBGamebase {
    static var client: GamebaseClient { .shared }

    /// Asks the server for what a game needs before anyone logs in. It may be called again, also after a failure.
    ///
    /// It completes with the launching information, as in ``TCGBLaunching/launchingInformations()``; with 3 when the configuration has
    /// no server address, with 101 and 110 when the server can't be reached, with 2003 for an unknown app.
    public static func initialize(configuration: TCGBConfiguration, completion: InitializeCompletion?) {
        let bridge = Bridge<[String: JSONValue]>(completion.map { completion in { completion($0?.foundation, $1) } })
        guard client.open(configuration) != nil else {
            return bridge.refuse(
                AuthError(
                    .invalidParameter,
                    message:
                        "No server is named: set serverAddress, the key \(TCGBConfiguration.serverAddressInfoKey) of "
                        + "Info.plist, or the environment variable \(TCGBConfiguration.serverAddressVariable)."))
        }
        bridge.call { (gatehouse) async throws(AuthError) in
            let information = try await gatehouse.start()
            client.didStart(information, gatehouse)
            if !information.isPlayable, configuration.isEnableLaunchingStatusPopup() {
                Notices.show(.launching(information), client.events)
            }
            return client.json(of: information)
        }
    }

    /// The same as ``initialize(configuration:completion:)``.
    @nonobjc public static func initialize(
        withConfiguration configuration: TCGBConfiguration, completion: InitializeCompletion?
    ) {
        initialize(configuration: configuration, completion: completion)
    }

    /// The same as ``initialize(configuration:completion:)``. Launch options have no use here.
    public static func initialize(
        configuration: TCGBConfiguration, launchOptions: [AnyHashable: Any]?, completion: InitializeCompletion?
    ) { initialize(configuration: configuration, completion: completion) }

    // MARK: What is known without a call (INFO-1)

    /// Whether a call has succeeded: there is no error.
    public static func isSuccess(error: TCGBError?) -> Bool { error == nil }
    /// The same as ``isSuccess(error:)``.
    @nonobjc public static func isSuccess(withError error: TCGBError?) -> Bool { error == nil }

    /// Whether lines for developers are written to the standard error: see ``TCGBUtil/log(string:)``.
    public static func setDebugMode(_ isDebugMode: Bool) { client.isDebugMode = isDebugMode }
    /// Whether debug mode is on.
    public static func isDebugMode() -> Bool { client.isDebugMode }

    /// The version of Gatehouse, as in `1.2.3`.
    public static func SDKVersion() -> String { GatehouseClient.version }

    /// The id of the app, as the configuration has it; nil before the first start.
    public static func appID() -> String? { client.appID }

    /// There is only one kind of server: an operator runs other zones as separate apps.
    public static func isSandbox() -> Bool { false }

    /// The user id of the player who is logged in.
    public static func userID() -> String? { client.gatehouse?.userID?.rawValue }

    /// The access token, which the game's server verifies. It is kept fresh while the player is logged in.
    public static func accessToken() -> String? { client.gatehouse?.accessToken?.secretValue }

    /// The identity provider that this device last logged in with; nil after a logout.
    public static func lastLoggedInProvider() -> String? { client.gatehouse?.lastProvider?.rawValue }

    /// The identity provider of the current login.
    public static func currentProvider() -> String? { client.gatehouse?.currentProvider?.rawValue }

    /// The identity providers that are mapped; nil without a login.
    public static func authMappingList() -> [String]? {
        guard let gatehouse = client.gatehouse, gatehouse.userID != nil else { return nil }
        return gatehouse.mappings.map(\.rawValue)
    }

    // MARK: Languages and places

    /// The device's language (ISO 639-1); `en` if the device does not tell it.
    public static func deviceLanguageCode() -> String {
        Locale.current.language.languageCode?.identifier ?? kTCGBDisplayLanguageCodeEnglish
    }

    /// Sets the language of messages to the player. It takes effect with the next ``initialize(configuration:completion:)``.
    public static func setDisplayLanguageCode(_ languageCode: String) { client.setDisplayLanguage(languageCode) }

    /// The language of messages to the player; nil if the game has not set one.
    public static func displayLanguageCode() -> String? { client.displayLanguage }

    /// The country in the device's settings (ISO 3166-1); `ZZ` if there is none.
    public static func countryCode() -> String { Locale.current.region?.identifier ?? "ZZ" }
    /// The same as ``countryCode()``.
    public static func countryCodeOfDevice() -> String { countryCode() }
    /// Always `ZZ`, because Apple's systems no longer tell games about the SIM card.
    public static func countryCodeOfUSIM() -> String { "ZZ" }
    /// Always nil, because Apple's systems no longer tell games about the carrier.
    public static func carrierCode() -> String? { nil }
    /// Always nil, because Apple's systems no longer tell games about the carrier.
    public static func carrierName() -> String? { nil }

    // MARK: Events

    /// Adds a handler for events that the game itself has not caused. It is called on the main thread.
    public static func addEventHandler(_ handler: @escaping GamebaseEventHandler) { client.events.add(handler) }

    /// Removes a handler, which must be the value that was added.
    public static func removeEventHandler(_ handler: @escaping GamebaseEventHandler) { client.events.remove(handler) }

    /// Removes all handlers that were added with ``addEventHandler(_:)``.
    public static func removeAllEventHandler() { client.events.removeAll() }
}
