public import Foundation

/// How long a toast stays.
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

/// Small things that games and plug-ins use beside a login. Objective-C's `logDebugWithFormat:` and its like are in `GamebaseObjectiveC`:
/// Swift can't make a method with any number of arguments for it.
#if canImport(ObjectiveC)
@objc(TCGBUtil) @objcMembers
#endif
public final class TCGBUtil: NSObject {
    /// The value at a path such as `launching.user.testDevice`; nil where there is none.
    #if canImport(ObjectiveC)
    @objc(extractValueFromJson:searchString:)
    #endif
    public static func extractValue(fromJson json: [String: Any], searchString: String) -> Any? {
        var value: Any = json
        for name in searchString.split(separator: ".") {
            guard let next = (value as? [String: Any])?[String(name)] else { return nil }
            value = next
        }
        return value
    }

    // MARK: What the player sees

    /// An alert with one button, on Apple's systems. Elsewhere there is nobody to press it: a line on the standard error, and the
    /// completion at once.
    ///
    /// - Parameter completion: called on the main thread when the player has pressed the button.
    #if canImport(ObjectiveC)
    @objc(showAlertWithTitle:message:completion:)
    #endif
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

    #if canImport(ObjectiveC)
    @objc(showAlertWithTitle:message:)
    #endif
    public static func showAlert(title: String?, message: String?) {
        showAlert(title: title, message: message, completion: nil)
    }

    /// A text that goes away by itself, on Apple's systems; elsewhere a line on the standard error.
    #if canImport(ObjectiveC)
    @objc(showToastWithMessage:length:)
    #endif
    public static func showToast(message: String, length: GamebaseToastLength) {
        showToast(message, seconds: length.seconds)
    }

    /// - Parameter duration: seconds.
    #if canImport(ObjectiveC)
    @objc(showToastWithMessage:duration:)
    #endif
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

    /// A line for developers, on the standard error, in debug mode alone (``TCGBGamebase/setDebugMode(_:)``).
    #if canImport(ObjectiveC)
    @objc(logWithString:)
    #endif
    public static func log(string: String) { log(level: "DEBUG", string: string) }

    /// The same with a level: `VERBOSE`, `DEBUG`, `INFO`, `WARN` or `ERROR`. The last two are written always.
    #if canImport(ObjectiveC)
    @objc(logWithLevel:string:)
    #endif
    public static func log(level: String, string: String) {
        guard Log.isWritten(level, isDebugMode: TCGBGamebase.isDebugMode()) else { return }
        Log.write(level, string)
    }
}

/// What is told to developers.
enum Log {
    static func isWritten(_ level: String, isDebugMode: Bool) -> Bool {
        isDebugMode || ["WARN", "ERROR"].contains(level)
    }

    /// One line, whatever the text has of line breaks and other controls.
    static func line(_ level: String, _ text: String) -> String {
        let text = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        return "[Gamebase][\(level)] \(text)\n"
    }

    static func write(_ level: String, _ text: String) {
        FileHandle.standardError.write(Data(line(level, text).utf8))
    }
}
