import Foundation

/// The sources of the server's modules, for tests of completeness: what a table lists is compared with what is declared.
enum ServerSources {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

    /// The captures of a pattern in all files whose name fits.
    static func matches(_ pattern: Regex<(Substring, Substring)>, in isWanted: (String) -> Bool) throws -> [String] {
        let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return try (paths?.compactMap { $0 as? URL } ?? [])
            .filter { $0.pathExtension == "swift" && isWanted($0.lastPathComponent) }
            .flatMap { try String(contentsOf: $0, encoding: .utf8).matches(of: pattern).map { String($0.output.1) } }
    }
}
