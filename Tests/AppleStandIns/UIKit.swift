// What Gatehouse uses of Apple's UIKit, in name and type only.
@_exported public import Foundation

@MainActor open class UIResponder: NSObject {}

@MainActor open class UIView: UIResponder {
    public var window: UIWindow?
}

@MainActor open class UIViewController: UIResponder {
    public var view: UIView! = UIView()
    public private(set) var presentedViewController: UIViewController?
    public func present(_ page: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
}

@MainActor open class UIWindow: UIView {
    public var rootViewController: UIViewController?
    public var isKeyWindow: Bool { false }
}

@MainActor open class UIScene: UIResponder {}

@MainActor open class UIWindowScene: UIScene {
    public var windows: [UIWindow] { [] }
}

@MainActor open class UIOpenURLContext: NSObject {}

public protocol UIUserActivityRestoring: NSObjectProtocol {}

/// Foundation's, on Apple's systems.
open class NSUserActivity: NSObject {}

@MainActor open class UIApplication: UIResponder {
    public struct LaunchOptionsKey: Hashable, Sendable {}
    public struct OpenURLOptionsKey: Hashable, Sendable {}
    public struct OpenExternalURLOptionsKey: Hashable, Sendable {}
    public class var shared: UIApplication { UIApplication() }
    public var connectedScenes: Set<UIScene> { [] }
    public func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {}
}

@MainActor open class UIAlertController: UIViewController {
    public enum Style: Int, Sendable { case actionSheet, alert }
    public convenience init(title: String?, message: String?, preferredStyle: Style) { self.init() }
    public func addAction(_ action: UIAlertAction) {}
}

@MainActor open class UIAlertAction: NSObject {
    public enum Style: Int, Sendable { case `default`, cancel, destructive }
    public convenience init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) { self.init() }
}
