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

#if canImport(ObjectiveC)
/// Receives the title of the button that the player has pressed in an alert of ``TCGBUtil``.
public typealias AlertBlock = @convention(block) (Any) -> Void
/// Receives the press of a button in an action sheet of ``TCGBUtil``.
public typealias ActionSheetBlock = @convention(block) (UIAlertAction) -> Void
#else
/// Receives the title of the button that the player has pressed in an alert of ``TCGBUtil``.
public typealias AlertBlock = (Any) -> Void
/// Receives the press of a button in an action sheet of ``TCGBUtil``.
public typealias ActionSheetBlock = (UIAlertAction) -> Void
#endif

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

    /// Shows an alert with two buttons, on Apple's systems. Elsewhere nobody could press one, so a line is written to the standard error
    /// and the negative block is called at once.
    ///
    /// - Parameter title: the heading, if there is one.
    /// - Parameter message: what the player should read.
    /// - Parameter positiveTitle: the title of the button that agrees.
    /// - Parameter positiveBlock: called on the main thread with that title when the player has pressed it.
    /// - Parameter negativeTitle: the title of the button that declines.
    /// - Parameter negativeBlock: called on the main thread with that title when the player has pressed it.
    public static func showAlert(
        title: String?, message: String?, positiveTitle: String, positiveBlock: AlertBlock?, negativeTitle: String,
        negativeBlock: AlertBlock?
    ) {
        let blocks = Unchecked((positiveBlock, negativeBlock))
        Task { @MainActor in
            let (positive, negative) = blocks.value
            ask(
                .alert(
                    title: title, message: message, positive: (positiveTitle, positive),
                    negative: (negativeTitle, negative)))
        }
    }

    /// Shows an action sheet with a button for each block, and one that cancels and calls nothing, on Apple's systems. Elsewhere a line
    /// is written to the standard error, and no block is called.
    ///
    /// - Parameter title: the heading, if there is one.
    /// - Parameter message: what the player should read.
    /// - Parameter blocks: the titles of the buttons, each with what is called on the main thread when the player has pressed it.
    public static func showActionSheet(title: String?, message: String?, blocks: [String: ActionSheetBlock]) {
        let blocks = Unchecked(blocks)
        Task { @MainActor in
            ask(
                .actionSheet(
                    title: title, message: message, blocks: blocks.value,
                    cancel: Notices.text("Cancel", "취소", "キャンセル")))
        }
    }

    @MainActor private static func ask(_ choice: Choice) {
        #if canImport(UIKit)
        Alert.show(choice)
        #else
        Log.write("alert", [choice.title, choice.message].compactMap(\.self).joined(separator: ": "))
        choice.decline()
        #endif
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

    /// The same as ``showToast(message:duration:)``, under its oldest name.
    @available(*, deprecated, renamed: "showToast(message:length:)")
    public static func showToastMessage(_ message: String, duration: Int) {
        showToast(message: message, duration: duration)
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

/// A question to the player with several buttons, as ``TCGBUtil`` asks it for a game.
@MainActor struct Choice {
    enum Form { case alert, actionSheet }

    struct Button {
        let title: String
        /// Whether the button declines, and is what counts where the player can press none.
        var isCancel = false
        /// Called with what UIKit says of the press.
        let press: @MainActor (UIAlertAction) -> Void
    }

    let form: Form
    let title: String?
    let message: String?
    let buttons: [Button]

    /// An alert with two buttons.
    static func alert(
        title: String?, message: String?, positive: (title: String, block: AlertBlock?),
        negative: (title: String, block: AlertBlock?)
    ) -> Choice {
        let (agree, decline) = (Unchecked(positive.block), Unchecked(negative.block))
        let (yes, no) = (positive.title, negative.title)
        return Choice(
            form: .alert, title: title, message: message,
            buttons: [
                Button(title: no, isCancel: true) { _ in decline.value?(no) },
                Button(title: yes) { _ in agree.value?(yes) },
            ])
    }

    /// An action sheet with a button for each block, in the order of their titles, because a dictionary has none, and one that cancels.
    static func actionSheet(
        title: String?, message: String?, blocks: [String: ActionSheetBlock], cancel: String
    ) -> Choice {
        let buttons = blocks.sorted { $0.key < $1.key }.map { title, block in
            let block = Unchecked(block)
            return Button(title: title) { block.value($0) }
        }
        return Choice(
            form: .actionSheet, title: title, message: message,
            buttons: buttons + [Button(title: cancel, isCancel: true) { _ in }])
    }

    /// Ends the question where nobody can answer it.
    func decline() {
        for button in buttons where button.isCancel { button.press(UIAlertAction()) }
    }
}

/// Messages for developers.
enum Log {
    static func isWritten(_ level: String, isDebugMode: Bool) -> Bool {
        isDebugMode || ["WARN", "ERROR"].contains(level)
    }

    /// One line. Line breaks and other control characters in the text are replaced.
    static func line(_ level: String, _ text: String) -> String {
        let text = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        return "[Gamebase][\(level)] \(text)\n"
    }

    static func write(_ level: String, _ text: String) {
        FileHandle.standardError.write(Data(line(level, text).utf8))
    }
}
