@_exported public import Foundation

#if canImport(UIKit)
@_exported public import UIKit
#else
/// Stands for UIKit's class where there is none: nothing of it is used.
open class UIViewController {
    public init() {}
}
#endif
