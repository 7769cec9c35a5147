import Foundation

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
