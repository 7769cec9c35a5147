@_exported public import Foundation

#if canImport(UIKit)
@_exported public import UIKit
#elseif canImport(ObjectiveC)
/// A stand-in for UIKit's class on systems without it; nothing of it is used. Its Objective-C name differs because UIKit's is taken.
@objc(TCGBViewController)
open class UIViewController: NSObject {}
#else
/// A stand-in for UIKit's class on systems without it; nothing of it is used.
open class UIViewController {
    /// Makes a view controller that stands for none.
    public init() {}
}
#endif
