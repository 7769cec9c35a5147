import Foundation
import Gatehouse
import SwiftUI
import TitleScreenViews

/// The app around the example: copy it into an app of your own in Xcode. README.md says what the app needs besides.
@main
struct SeedfallApp: App {
    private let gatehouse: GatehouseClient

    init() {
        // swift-format-ignore: NeverForceUnwrap
        let server = URL(string: "http://127.0.0.1:8080")!
        var configuration = GatehouseClient.Configuration(appID: "devgame", serverURL: server)
        #if DEBUG
        // The providers of `make run` are fake ones, whose pages come up in a browser.
        configuration.adapters = [
            BrowserAdapter(.apple, callbackScheme: "seedfall"), GameCenterAdapter(),
            BrowserAdapter(.google, callbackScheme: "seedfall"),
        ]
        #else
        configuration.adapters = [
            SignInWithAppleAdapter(), GameCenterAdapter(), BrowserAdapter(.google, callbackScheme: "seedfall"),
        ]
        #endif
        gatehouse = GatehouseClient(configuration)
    }

    var body: some Scene {
        WindowGroup { GameView(gatehouse) }
    }
}
