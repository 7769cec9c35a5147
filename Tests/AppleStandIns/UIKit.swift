// What Gatehouse uses of Apple's UIKit, in name and type only.
@MainActor open class UIViewController {
    public init() {}
    public func present(_ page: UIViewController, animated: Bool) {}
}

@MainActor open class UIWindow {
    public init() {}
    public var rootViewController: UIViewController?
}
