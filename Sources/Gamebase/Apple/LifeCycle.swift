#if canImport(UIKit)
public import UIKit

// Gamebase needs the game's life-cycle events, but Gatehouse does not: its pages come back to their own session, and its heartbeats
// resume with the game. The methods exist so that a game's delegate builds unchanged.
@MainActor extension TCGBGamebase {
    @discardableResult
    public static func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    @discardableResult
    public static func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    @discardableResult
    @objc(application:openURL:options:)
    public static func application(
        _ application: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool { false }

    @discardableResult
    @objc(application:openURL:sourceApplication:annotation:)
    public static func application(
        _ application: UIApplication, open url: URL, sourceApplication: String?, annotation: Any
    ) -> Bool { false }

    @discardableResult
    @objc(application:continueUserActivity:restorationHandler:)
    public static func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool { false }

    public static func applicationDidBecomeActive(_ application: UIApplication) {}
    public static func applicationDidEnterBackground(_ application: UIApplication) {}
    public static func applicationWillEnterForeground(_ application: UIApplication) {}
    public static func applicationWillResignActive(_ application: UIApplication) {}
    public static func applicationWillTerminate(_ application: UIApplication) {}
    public static func applicationDidReceiveMemoryWarning(_ application: UIApplication) {}
    public static func applicationSignificantTimeChange(_ application: UIApplication) {}

    public static func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {}
    public static func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {}

    public static func application(
        _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>
    ) {}
    @objc(scene:willConnectToSession:options:)
    public static func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {}
    public static func sceneDidDisconnect(_ scene: UIScene) {}
    @objc(scene:openURLContexts:)
    public static func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {}
    public static func sceneDidBecomeActive(_ scene: UIScene) {}
    public static func sceneDidEnterBackground(_ scene: UIScene) {}
    public static func sceneWillEnterForeground(_ scene: UIScene) {}
}
#endif
