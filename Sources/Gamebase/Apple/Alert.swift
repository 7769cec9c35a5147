#if canImport(UIKit)
import UIKit

/// The alerts that Gamebase shows by itself.
@MainActor enum Alert {
    static func show(_ notice: Notices.Notice) {
        let alert = UIAlertController(title: nil, message: notice.message, preferredStyle: .alert)
        if let url = notice.url {
            alert.addAction(
                UIAlertAction(title: Notices.text("Details", "상세", "詳細"), style: .default) { _ in
                    UIApplication.shared.open(url)
                })
        }
        alert.addAction(UIAlertAction(title: Notices.text("OK", "확인", "確認"), style: .cancel))
        topViewController?.present(alert, animated: true)
    }

    /// An alert with one button.
    static func show(title: String?, message: String?, completion: @escaping @MainActor () -> Void) {
        // Without a window there is nothing to show it over, and nobody to close it.
        guard let topViewController else { return completion() }
        let alert = UIAlertController(title: title, message: message, preferredStyle: .alert)
        alert.addAction(UIAlertAction(title: Notices.text("OK", "확인", "確認"), style: .default) { _ in completion() })
        topViewController.present(alert, animated: true)
    }

    /// An alert or an action sheet with several buttons.
    static func show(_ choice: Choice) {
        guard let topViewController else { return choice.decline() }
        let alert = UIAlertController(
            title: choice.title, message: choice.message,
            preferredStyle: choice.form == .alert ? .alert : .actionSheet)
        for button in choice.buttons {
            alert.addAction(
                UIAlertAction(title: button.title, style: button.isCancel ? .cancel : .default) { action in
                    button.press(action)
                })
        }
        #if !os(tvOS)
        // An iPad shows an action sheet as a popover, which needs a place: the middle of the screen, without an arrow.
        if let popover = alert.popoverPresentationController, let view = topViewController.view {
            popover.sourceView = view
            popover.sourceRect = CGRect(x: view.bounds.midX, y: view.bounds.midY, width: 0, height: 0)
            popover.permittedArrowDirections = []
        }
        #endif
        topViewController.present(alert, animated: true)
    }

    static var window: UIWindow? {
        UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.flatMap(\.windows)
            .first { $0.isKeyWindow }
    }

    private static var topViewController: UIViewController? {
        var top = window?.rootViewController
        while let presented = top?.presentedViewController { top = presented }
        return top
    }
}
#endif
