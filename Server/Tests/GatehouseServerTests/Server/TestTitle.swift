import Foundation

/// The title of a test in the source, for the documents' tables.
struct TestTitle {
    /// `Suite.function`, with the file's name as the suite.
    let name: String
    let title: String
    let file: URL

    /// The tests of the SDK and of the server, by file and in each file's order.
    static func all(in root: URL) throws -> [TestTitle] {
        let title = #/@Test\(\s*"(?<title>(?:[^"\\]|\\.)*)"/#
        let function = #/func (?<name>\w+)\(/#
        var tests: [TestTitle] = []
        for folder in ["Tests", "Server/Tests"] {
            let files = FileManager.default.enumerator(
                at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                let suite = file.deletingPathExtension().lastPathComponent
                for match in text.matches(of: title) {
                    guard let next = text[match.range.upperBound...].firstMatch(of: function) else { continue }
                    tests.append(TestTitle(name: "\(suite).\(next.name)", title: String(match.title), file: file))
                }
            }
        }
        return tests
    }
}
