#if canImport(UIKit)
public import UIKit

// Gamebase needs the game's life-cycle events, but Gatehouse does not: its pages come back to their own session, and its heartbeats
// resume with the game. The methods exist so that a game's delegate builds unchanged.
@MainActor extension TCGBGamebase {
    @discardableResult
    #if canImport(ObjectiveC)
    @objc(application:willFinishLaunchingWithOptions:)
    #endif
    public static func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    @discardableResult
    #if canImport(ObjectiveC)
    @objc(application:didFinishLaunchingWithOptions:)
    #endif
    public static func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    @discardableResult
    #if canImport(ObjectiveC)
    @objc(application:openURL:options:)
    #endif
    public static func application(
        _ application: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool { false }

    @discardableResult
    #if canImport(ObjectiveC)
    @objc(application:openURL:sourceApplication:annotation:)
    #endif
    public static func application(
        _ application: UIApplication, open url: URL, sourceApplication: String?, annotation: Any
    ) -> Bool { false }

    @discardableResult
    #if canImport(ObjectiveC)
    @objc(application:continueUserActivity:restorationHandler:)
    #endif
    public static func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool { false }

    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func applicationDidBecomeActive(_ application: UIApplication) {}
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func applicationDidEnterBackground(_ application: UIApplication) {}
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func applicationWillEnterForeground(_ application: UIApplication) {}
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func applicationWillResignActive(_ application: UIApplication) {}
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func applicationWillTerminate(_ application: UIApplication) {}
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func applicationDidReceiveMemoryWarning(_ application: UIApplication) {}
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func applicationSignificantTimeChange(_ application: UIApplication) {}

    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {}
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {}

    #if canImport(ObjectiveC)
    @objc(application:didDiscardSceneSessions:)
    #endif
    public static func application(
        _ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>
    ) {}
    #if canImport(ObjectiveC)
    @objc(scene:willConnectToSession:options:)
    #endif
    public static func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {}
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func sceneDidDisconnect(_ scene: UIScene) {}
    #if canImport(ObjectiveC)
    @objc(scene:openURLContexts:)
    #endif
    public static func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {}
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func sceneDidBecomeActive(_ scene: UIScene) {}
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func sceneDidEnterBackground(_ scene: UIScene) {}
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func sceneWillEnterForeground(_ scene: UIScene) {}
}
#endif
