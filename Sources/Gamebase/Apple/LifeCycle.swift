#if canImport(UIKit)
public import UIKit

// Gamebase needs the game's life-cycle events, but Gatehouse does not: its pages come back to their own session, and its heartbeats
// resume with the game. The methods exist so that a game's delegate builds unchanged.
@MainActor extension TCGBGamebase {
    /// Does nothing, and returns true.
    @discardableResult
    public static func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Does nothing, and returns true.
    @discardableResult
    public static func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Does nothing, and returns false.
    @discardableResult
    @objc(application:openURL:options:)
    public static func application(
        _ application: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool { false }

    /// Does nothing, and returns false.
    @discardableResult
    @objc(application:openURL:sourceApplication:annotation:)
    public static func application(
        _ application: UIApplication, open url: URL, sourceApplication: String?, annotation: Any
    ) -> Bool { false }

    /// Does nothing, and returns false.
    @discardableResult
    @objc(application:continueUserActivity:restorationHandler:)
    public static func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool { false }

    /// Does nothing.
    public static func applicationDidBecomeActive(_ application: UIApplication) {}
    /// Does nothing.
    public static func applicationDidEnterBackground(_ application: UIApplication) {}
    /// Does nothing.
    public static func applicationWillEnterForeground(_ application: UIApplication) {}
    /// Does nothing.
    public static func applicationWillResignActive(_ application: UIApplication) {}
    /// Does nothing.
    public static func applicationWillTerminate(_ application: UIApplication) {}
    /// Does nothing.
    public static func applicationDidReceiveMemoryWarning(_ application: UIApplication) {}
    /// Does nothing.
    public static func applicationSignificantTimeChange(_ application: UIApplication) {}

    /// Does nothing.
    public static func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {}
    /// Does nothing.
    public static func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {}

    /// Does nothing.
    public static func application(
        _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>
    ) {}
    /// Does nothing.
    @objc(scene:willConnectToSession:options:)
    public static func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {}
    /// Does nothing.
    public static func sceneDidDisconnect(_ scene: UIScene) {}
    /// Does nothing.
    @objc(scene:openURLContexts:)
    public static func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {}
    /// Does nothing.
    public static func sceneDidBecomeActive(_ scene: UIScene) {}
    /// Does nothing.
    public static func sceneDidEnterBackground(_ scene: UIScene) {}
    /// Does nothing.
    public static func sceneWillEnterForeground(_ scene: UIScene) {}
}
#endif
