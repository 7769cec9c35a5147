import Foundation
import GatehouseWire
import Testing

@Suite struct ErrorCodeTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("ERROR-3: rows of the error table may be added and are never changed")
    func table() throws {
        // The file has the code, name and HTTP status of every published row. Lines are added to it, never changed.
        let file = Self.root.appendingPathComponent("Tests/GatehouseWireTests/error-table.txt")
        let published = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let now = ErrorCode.table.map { "\($0.code.rawValue) \($0.name) \($0.httpStatus)" }
        #expect(published.count > 80)
        #expect(Set(published).subtracting(now).isEmpty)
        #expect(Set(now).subtracting(published).isEmpty, "add new rows to error-table.txt")
        #expect(Set(ErrorCode.table.map(\.code)).count == ErrorCode.table.count)
        #expect(Set(ErrorCode.table.map(\.name)).count == ErrorCode.table.count)
    }

    @Test("docs/errors.md is the table; GATEHOUSE_WRITE_DOCS=1 writes it")
    func document() throws {
        let file = Self.root.appendingPathComponent("docs/errors.md")
        if ProcessInfo.processInfo.environment["GATEHOUSE_WRITE_DOCS"] == "1" {
            try Data(Self.document.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == Self.document)
    }

    static var document: String {
        var lines = [
            "# Error codes", "",
            "Every error of the HTTP API and the SDK has a code of this table. Numbers and names are Gamebase's (there with the prefix",
            "`TCGB_ERROR_`). An HTTP answer with an error has the shape", "", "```json",
            #"{"error": {"code": 3102, "name": "AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO", "message": "...","#,
            #"           "transactionId": "...", "details": {"reason": "session_expired"}}}"#, "```", "",
            "`transactionId` finds the call in the server's log. `details.reason` is a word for programs that tells apart the causes of one",
            "code ([all words](game-servers.md#the-words-of-detailsreason)). *Status* is the usual one. Some causes have another: 403 for 5 with the",
            "reason `scope`, 404 for 3202 without a profile, 503 for 8001 with `Retry-After`, and 405, 413, 415, 417, 422, 429 and 431 by the rules",
            "of HTTP. So decide by the code. *Retry* says whether the same call may succeed later, unchanged.", "",
            "This page is written by a test (`GATEHOUSE_WRITE_DOCS=1 make test ONLY=ErrorCodeTests`) from",
            "`Sources/GatehouseWire/ErrorCode+Table.swift`.", "",
            "| Code | Name | Status | Retry | What happened | What to do |", "|---|---|---|---|---|---|",
        ]
        for row in ErrorCode.table {
            let retry = row.mayRetry ? "yes" : ""
            lines.append(
                "| \(row.code.rawValue) | `\(row.name)` | \(row.httpStatus) | \(retry) | \(row.meaning) | \(row.advice) |"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test("A code that this version does not know survives")
    func unknownCode() throws {
        let code = try JSONDecoder().decode(ErrorCode.self, from: Data("123456".utf8))
        #expect(code.rawValue == 123_456)
        #expect(code.row == nil)
        #expect(code.name == "123456")
        #expect(String(decoding: try JSONEncoder().encode([code]), as: UTF8.self) == "[123456]")
    }
}
