@_exported public import Foundation

#if canImport(UIKit)
@_exported public import UIKit
#elseif canImport(ObjectiveC)
/// Stands for UIKit's class where there is none: nothing of it is used. Objective-C has it by this name, as its own is taken.
@objc(TCGBViewController)
open class UIViewController: NSObject {}
#else
/// Stands for UIKit's class where there is none: nothing of it is used.
open class UIViewController {
    public init() {}
}
#endif
