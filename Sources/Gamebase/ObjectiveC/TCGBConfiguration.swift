public import Foundation
public import Gatehouse
import GatehouseWire

/// The configuration of a game.
///
/// Gamebase's server has one address, but a Gatehouse server has the operator's. Code that can't set it gets it from outside: from the
/// key `GatehouseServerURL` of the game's Info.plist, or from the environment variable `GATEHOUSE_SERVER_URL`. Other code sets
/// ``serverAddress``.
#if canImport(ObjectiveC)
@objc(TCGBConfiguration) @objcMembers
#endif
public final class TCGBConfiguration: NSObject, Sendable {
    /// The key of the Info.plist.
    public static let serverAddressInfoKey = "GatehouseServerURL"
    /// The environment variable.
    public static let serverAddressVariable = "GATEHOUSE_SERVER_URL"
    /// The URL scheme with which a login page comes back to the game on Apple's systems. It is `tcgb.BUNDLE` unless the Info.plist sets
    /// the key `GatehouseCallbackScheme`. The operator registers `SCHEME://login` as a redirect of the app.
    public static let callbackSchemeInfoKey = "GatehouseCallbackScheme"

    /// The app's id, as the operator has created it.
    public let appID: String
    /// The game's own version, which the operator sees and rules by client can name.
    public let appVersion: String
    /// The zone that the game has named. It is stored but not used.
    public let zoneType: String?

    private let settings: Locked<GameSettings>

    private init(appID: String, appVersion: String, zoneType: String?) {
        self.appID = appID
        self.appVersion = appVersion
        self.zoneType = zoneType
        settings = Locked(GameSettings(serverAddress: GameSettings.givenServerAddress))
    }

    /// Makes the configuration of an app and a version of the game.
    public static func configuration(appID: String, appVersion: String) -> TCGBConfiguration {
        TCGBConfiguration(appID: appID, appVersion: appVersion, zoneType: nil)
    }

    // It has no Objective-C name because its selector would be that of the method above.
    /// The same as ``configuration(appID:appVersion:)``.
    @nonobjc public static func configuration(withAppID appID: String, appVersion: String) -> TCGBConfiguration {
        configuration(appID: appID, appVersion: appVersion)
    }

    /// Makes the configuration of an app, a version of the game, and a zone.
    ///
    /// - Parameter appID: the app's id, as the operator has created it.
    /// - Parameter appVersion: the game's own version.
    /// - Parameter zoneType: stored but not used, because an operator's servers have different addresses.
    public static func configuration(appID: String, appVersion: String, zoneType: String) -> TCGBConfiguration {
        TCGBConfiguration(appID: appID, appVersion: appVersion, zoneType: zoneType)
    }

    /// The server's address, such as `https://login.example.com`.
    public var serverAddress: URL? {
        get { settings.withLock { $0.serverAddress } }
        set { settings.withLock { $0.serverAddress = newValue } }
    }

    /// Whether Gatehouse shows its own alerts on Apple's systems. On other systems their content is sent as an event.
    public func enablePopup(_ isEnabled: Bool) { settings.withLock { $0.isEnablePopup = isEnabled } }
    /// Whether Gatehouse shows its own alerts.
    public func isEnablePopup() -> Bool { settings.withLock { $0.isEnablePopup } }

    /// Enables an alert when the game is not in service.
    public func enableLaunchingStatusPopup(_ isEnabled: Bool) {
        settings.withLock { $0.isEnableLaunchingStatusPopup = isEnabled }
    }
    /// Whether there is an alert when the game is not in service.
    public func isEnableLaunchingStatusPopup() -> Bool {
        settings.withLock { $0.isEnablePopup && $0.isEnableLaunchingStatusPopup }
    }

    /// Enables an alert when the player is banned.
    public func enableBanPopup(_ isEnabled: Bool) { settings.withLock { $0.isEnableBanPopup = isEnabled } }
    /// Whether there is an alert when the player is banned.
    public func isEnableBanPopup() -> Bool { settings.withLock { $0.isEnablePopup && $0.isEnableBanPopup } }

    /// Enables an alert when an operator has kicked the player out.
    @available(*, deprecated, message: "Kick-outs come as events: TCGBGamebase.addEventHandler.")
    public func enableKickoutPopup(_ isEnabled: Bool) { settings.withLock { $0.isEnableKickoutPopup = isEnabled } }
    func isEnableKickoutPopup() -> Bool { settings.withLock { $0.isEnablePopup && $0.isEnableKickoutPopup } }

    /// The store that the game was installed from. The operator can see it.
    public func setStoreCode(_ storeCode: String) { settings.withLock { $0.storeCode = storeCode } }
    /// The store that the game was installed from.
    public func storeCode() -> String { settings.withLock { $0.storeCode } }

    /// The language of messages to the player.
    public func setDisplayLanguageCode(_ code: String?) { settings.withLock { $0.displayLanguageCode = code } }
    /// The language of messages to the player; nil for the device's.
    public func displayLanguageCode() -> String? { settings.withLock { $0.displayLanguageCode } }

    /// Changes settings for which Gamebase has no name: storage, time-outs, the game's own adapters.
    public func configure(_ change: @escaping @Sendable (inout GatehouseClient.Configuration) -> Void) {
        settings.withLock { $0.change = change }
    }

    /// Adds the game's own adapter for a provider.
    public func addAuthAdapter(_ delegate: any TCGBAuthAdapterDelegate) {
        let delegate = Unchecked(delegate)
        settings.withLock { $0.delegates.append(delegate) }
    }

    /// The SDK's configuration; nil without a server address.
    func gatehouse(languages: [String]) -> GatehouseClient.Configuration? {
        settings.withLock { $0 }.gatehouse(appID: appID, appVersion: appVersion, languages: languages)
    }
}

/// What a game has set in its ``TCGBConfiguration``.
struct GameSettings: Sendable {
    var serverAddress: URL?
    var isEnablePopup = false
    var isEnableLaunchingStatusPopup = true
    var isEnableBanPopup = true
    var isEnableKickoutPopup = true
    var storeCode = "AS"
    var displayLanguageCode: String?
    var change: @Sendable (inout GatehouseClient.Configuration) -> Void = { _ in }
    /// They are used only on the main thread.
    var delegates: [Unchecked<any TCGBAuthAdapterDelegate>] = []

    /// The server's address from outside the code: from Info.plist or the environment.
    static var givenServerAddress: URL? {
        let given =
            Bundle.main.object(forInfoDictionaryKey: TCGBConfiguration.serverAddressInfoKey) as? String
            ?? ProcessInfo.processInfo.environment[TCGBConfiguration.serverAddressVariable]
        return given.flatMap { URL(string: $0) }
    }

    /// The SDK's configuration; nil without a server address.
    func gatehouse(appID: String, appVersion: String, languages: [String]) -> GatehouseClient.Configuration? {
        guard let serverAddress, WebOrigin(serverAddress.absoluteString) != nil else { return nil }
        var configuration = GatehouseClient.Configuration(appID: AppID(appID), serverURL: serverAddress)
        configuration.client?.clientVersion = appVersion
        configuration.client?.storeCode = storeCode
        configuration.languages = languages
        configuration.bringsProviderProfiles = true
        configuration.adapters = delegates.map { DelegateAdapter($0.value) } + Adapters.standard
        change(&configuration)
        return configuration
    }
}
