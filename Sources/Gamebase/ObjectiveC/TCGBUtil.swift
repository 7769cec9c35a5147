public import Foundation

/// How long a toast is visible.
#if canImport(ObjectiveC)
@objc
#endif
public enum GamebaseToastLength: Int, Sendable {
    /// Two seconds.
    case short = 0
    /// Three and a half seconds.
    case long = 1

    var seconds: Double { self == .short ? 2 : 3.5 }
}

/// Utilities that games and plug-ins use besides a login. Objective-C's `logDebugWithFormat:` and similar methods are in
/// `GamebaseObjectiveC`, because Swift can't declare a method with any number of arguments for Objective-C.
#if canImport(ObjectiveC)
@objc(TCGBUtil) @objcMembers
#endif
public final class TCGBUtil: NSObject {
    /// The value at a path such as `launching.user.testDevice`; nil if there is none.
    public static func extractValue(fromJson json: [String: Any], searchString: String) -> Any? {
        var value: Any = json
        for name in searchString.split(separator: ".") {
            guard let next = (value as? [String: Any])?[String(name)] else { return nil }
            value = next
        }
        return value
    }

    // MARK: What the player sees

    /// Shows an alert with one button, on Apple's systems. Elsewhere nobody could press the button, so a line is written to the
    /// standard error and the completion is called at once.
    ///
    /// - Parameter title: the heading, if there is one.
    /// - Parameter message: what the player should read.
    /// - Parameter completion: called on the main thread when the player has pressed the button.
    public static func showAlert(title: String?, message: String?, completion: (() -> Void)?) {
        let completion = Unchecked(completion)
        Task { @MainActor in
            #if canImport(UIKit)
            Alert.show(title: title, message: message) { completion.value?() }
            #else
            Log.write("alert", [title, message].compactMap(\.self).joined(separator: ": "))
            completion.value?()
            #endif
        }
    }

    /// The same as ``showAlert(title:message:completion:)`` without a completion.
    public static func showAlert(title: String?, message: String?) {
        showAlert(title: title, message: message, completion: nil)
    }

    /// Shows a text that disappears by itself, on Apple's systems. Elsewhere a line is written to the standard error.
    public static func showToast(message: String, length: GamebaseToastLength) {
        showToast(message, seconds: length.seconds)
    }

    /// Shows a text that disappears by itself.
    ///
    /// - Parameter message: what the player should read.
    /// - Parameter duration: in seconds.
    @available(*, deprecated, renamed: "showToast(message:length:)")
    public static func showToast(message: String, duration: Int) {
        showToast(message, seconds: Double(min(max(duration, 1), 60)))
    }

    private static func showToast(_ message: String, seconds: Double) {
        Task { @MainActor in
            #if canImport(UIKit)
            Toast.show(message, seconds: seconds)
            #else
            Log.write("toast", message)
            #endif
        }
    }

    // MARK: Log

    /// Writes a line for developers to the standard error, only in debug mode (``TCGBGamebase/setDebugMode(_:)``).
    public static func log(string: String) { log(level: "DEBUG", string: string) }

    /// Writes a line with a level: `VERBOSE`, `DEBUG`, `INFO`, `WARN` or `ERROR`. Lines with the last two levels are always written.
    public static func log(level: String, string: String) {
        guard Log.isWritten(level, isDebugMode: TCGBGamebase.isDebugMode()) else { return }
        Log.write(level, string)
    }
}
