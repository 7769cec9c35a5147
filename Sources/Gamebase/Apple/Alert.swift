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

    private static var topViewController: UIViewController? {
        let windows = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.flatMap(\.windows)
        var top = windows.first { $0.isKeyWindow }?.rootViewController
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
