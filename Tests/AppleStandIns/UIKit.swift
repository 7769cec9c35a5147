// The parts of Apple's UIKit that Gatehouse uses, as names and types only.
@_exported public import Foundation

@objc @MainActor open class UIResponder: NSObject {}

@objc @MainActor open class UIView: UIResponder {
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public var window: UIWindow?
    public var frame = CGRect()
    public var bounds = CGRect()
    public var alpha: CGFloat = 1
    public var backgroundColor: UIColor?
    public func addSubview(_ view: UIView) {}
    public func removeFromSuperview() {}
    public func sizeThatFits(_ size: CGSize) -> CGSize { size }
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, options: AnimationOptions = [],
        animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
    ) {}
}

@objc open class UIColor: NSObject, @unchecked Sendable {
    public class var white: UIColor { UIColor(white: 1, alpha: 1) }
    public init(white: CGFloat, alpha: CGFloat) {}
}

public enum NSTextAlignment: Int, Sendable { case left, center, right }

@objc @MainActor open class UILabel: UIView {
    public var text: String?
    public var textAlignment = NSTextAlignment.left
    public var numberOfLines = 1
    public var textColor: UIColor?
}

@objc @MainActor open class UIViewController: UIResponder {
    public var view: UIView! = UIView()
    public private(set) var presentedViewController: UIViewController?
    public private(set) var popoverPresentationController: UIPopoverPresentationController?
    public func present(_ page: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
    open func viewDidAppear(_ animated: Bool) {}
}

public struct UIPopoverArrowDirection: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

@objc @MainActor open class UIPopoverPresentationController: NSObject {
    public var sourceView: UIView?
    public var sourceRect = CGRect()
    public var permittedArrowDirections: UIPopoverArrowDirection = []
}

@objc @MainActor open class UIWindow: UIView {
    public var rootViewController: UIViewController?
    public var isKeyWindow: Bool { false }
}

@objc @MainActor open class UIScene: UIResponder {
    @objc(UISceneConnectionOptions) public final class ConnectionOptions: NSObject {}
}

@objc @MainActor open class UISceneSession: NSObject {}

@objc @MainActor open class UIWindowScene: UIScene {
    public var windows: [UIWindow] { [] }
}

@objc @MainActor open class UIOpenURLContext: NSObject {}

@objc public protocol UIUserActivityRestoring {}

/// On Apple's systems this is in Foundation.
@objc open class NSUserActivity: NSObject {}

@objc @MainActor open class UIApplication: UIResponder {
    // They are structures on Apple's systems, but classes here, because Objective-C must be able to use them.
    @objc public final class LaunchOptionsKey: NSObject {}
    @objc public final class OpenURLOptionsKey: NSObject {}
    public struct OpenExternalURLOptionsKey: Hashable, Sendable {}
    public class var shared: UIApplication { UIApplication() }
    public var connectedScenes: Set<UIScene> { [] }
    public func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {}
}

@objc @MainActor open class UIAlertController: UIViewController {
    public enum Style: Int, Sendable { case actionSheet, alert }
    public convenience init(title: String?, message: String?, preferredStyle: Style) { self.init() }
    public func addAction(_ action: UIAlertAction) {}
}

@objc @MainActor open class UIAlertAction: NSObject {
    public enum Style: Int, Sendable { case `default`, cancel, destructive }
    public convenience init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) { self.init() }
}
