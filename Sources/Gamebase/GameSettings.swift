import Foundation
import Gatehouse
import GatehouseWire

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
