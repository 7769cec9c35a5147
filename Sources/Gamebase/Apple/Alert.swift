#if canImport(UIKit)
import UIKit

/// The alerts that Gamebase shows by itself.
@MainActor enum Alert {
    static func show(_ notice: Notices.Notice) {
        let alert = UIAlertController(title: nil, message: notice.message, preferredStyle: .alert)
        if let url = notice.url {
            alert.addAction(
                UIAlertAction(title: text("Details", "상세", "詳細"), style: .default) { _ in
                    UIApplication.shared.open(url)
                })
        }
        alert.addAction(UIAlertAction(title: text("OK", "확인", "確認"), style: .cancel))
        topViewController?.present(alert, animated: true)
    }

    /// An alert with one button.
    static func show(title: String?, message: String?, completion: @escaping @MainActor () -> Void) {
        // Without a window there is nothing to show it over, and nobody to close it.
        guard let topViewController else { return completion() }
        let alert = UIAlertController(title: title, message: message, preferredStyle: .alert)
        alert.addAction(UIAlertAction(title: text("OK", "확인", "確認"), style: .default) { _ in completion() })
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

    private static func text(_ english: String, _ korean: String, _ japanese: String) -> String {
        switch TCGBGamebase.displayLanguageCode()?.prefix(2) {
        case "ko": korean
        case "ja": japanese
        default: english
        }
    }
}
#endif
