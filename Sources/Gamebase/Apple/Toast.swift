#if canImport(UIKit)
import UIKit

/// A text near the lower edge of the screen that disappears by itself.
@MainActor enum Toast {
    static func show(_ message: String, seconds: Double) {
        guard let window = Alert.window else { return }
        let label = UILabel()
        label.text = message
        label.textAlignment = .center
        label.numberOfLines = 0
        label.textColor = .white
        label.backgroundColor = UIColor(white: 0, alpha: 0.8)
        let width = window.bounds.width * 0.8
        let size = label.sizeThatFits(CGSize(width: width, height: window.bounds.height / 2))
        label.frame = CGRect(
            x: (window.bounds.width - width) / 2, y: window.bounds.height * 0.85 - size.height, width: width,
            height: size.height + 16)
        window.addSubview(label)
        UIView.animate(withDuration: 0.3, delay: seconds, options: []) {
            label.alpha = 0
        } completion: { _ in
            label.removeFromSuperview()
        }
    }
}
#endif
