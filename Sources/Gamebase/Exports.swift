@_exported public import Foundation

#if canImport(UIKit)
@_exported public import UIKit
#elseif canImport(ObjectiveC)
/// A stand-in for UIKit's class on systems without it; nothing of it is used. Its Objective-C name differs because UIKit's is taken.
@objc(TCGBViewController)
open class UIViewController: NSObject {}
/// A stand-in for UIKit's class on systems without it; nobody presses a button there.
@objc(TCGBAlertAction)
open class UIAlertAction: NSObject {}
#else
/// A stand-in for UIKit's class on systems without it; nothing of it is used.
open class UIViewController {
    /// Makes a view controller that stands for none.
    public init() {}
}
/// A stand-in for UIKit's class on systems without it; nobody presses a button there.
open class UIAlertAction {
    /// Makes an action that stands for none.
    public init() {}
}
#endif
