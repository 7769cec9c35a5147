import Foundation
import Gatehouse
import GatehouseWire
import Testing

// The article's example, as it stands.
func logging(to file: FileHandle, serverURL: URL) -> GatehouseClient {
    var configuration = GatehouseClient.Configuration(appID: "devgame", serverURL: serverURL)
    configuration.logger = { entry in
        guard entry.level >= .info else { return }
        file.write(Data("\(entry)\n".utf8))
    }
    return GatehouseClient(configuration)
}

@Suite struct DebugALoginArticleTests {
    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("The article's example is the one of this file, and its entries are of the form that is logged")
    func article() throws {
        let path = "Sources/Gatehouse/Gatehouse.docc/DebugALogin.md"
        let article = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let blocks = article.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(blocks.count == 1)
        for block in blocks { #expect(source.contains(block)) }
        let entry = LogEntry(
            level: .warning, event: .callFailed,
            metadata: [
                "code": "3201", "domain": AuthError.serverDomain, "endpoint": Endpoints.logIn.template,
                "milliseconds": "214", "name": ErrorCode.authIDPLoginFailed.name,
                "reason": ErrorReason.credentialRejected.rawValue, "retries": "0", "status": "401",
                "transactionId": "0198c0ffee",
            ])
        #expect(article.contains("\n\(entry)\n"))
    }

    @Test("The example writes entries of level info and above to the file")
    func example() throws {
        let path = NSTemporaryDirectory() + "gatehouse-debug-\(ProcessInfo.processInfo.processIdentifier)"
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try #require(FileHandle(forWritingAtPath: path))
        let url = try #require(URL(string: "https://login.example.com"))
        let client = logging(to: file, serverURL: url)
        client.configuration.logger?(LogEntry(level: .debug, event: .callSucceeded))
        client.configuration.logger?(LogEntry(level: .info, event: .stateChanged, metadata: ["state": "locked"]))
        try file.close()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "session.state state=locked\n")
    }
}
