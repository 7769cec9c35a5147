import Foundation
import Gatehouse
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import Testing

/// Untrusted text on an operator's terminal.
@Suite struct TerminalTests {
    /// They set a title and ring, clear the screen, begin a line, use C1, reverse letters, mark Arabic, and separate lines.
    private static let attacks = [
        "\u{1b}]0;owned\u{07}", "\u{1b}[2J", "\r\nforged\tline", "\u{9b}2J", "\u{202e}", "\u{2066}", "\u{61c}",
        "\u{2028}",
        "\u{7f}", "\u{8}",
    ]
    private static let attack = "begin" + attacks.joined() + "end"
    private static let escaped =
        #"begin\u001b]0;owned\u0007\u001b[2J\u000d\u000aforged\u0009line\u009b2J\u202e\u2066\u061c\u2028\u007f\u0008end"#

    /// A subject that an identity provider may send: the server refuses subjects with control characters of ASCII.
    private static let subject = "begin\u{9b}2J\u{202e}\u{2066}\u{61c}\u{2028}end"
    private static let escapedSubject = #"begin\u009b2J\u202e\u2066\u061c\u2028end"#

    @Test("LOG-2: what could speak to a terminal is escaped, and letters of every language stay")
    func escaping() {
        #expect(VisibleText.escaping(Self.attack) == Self.escaped)
        for text in ["", "plain \\ \"text\"", "안돼요", "日本語", "é́", "👨‍👩‍👧", "عربى"] {
            #expect(VisibleText.escaping(text) == text)
        }
        for value in UInt32(0)...0x2100 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isControl =
                scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
                || scalar.properties.generalCategory == .lineSeparator
                || scalar.properties.generalCategory == .paragraphSeparator
            #expect((VisibleText.escaping(String(scalar)) != String(scalar)) == isControl, "\(value)")
        }
    }

    @Test(
        "LOG-2: names, reasons, subjects and messages from outside reach an operator's terminal escaped",
        .timeLimit(.minutes(5)))
    func commands() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            let secret = try String(
                contentsOf: folder.appendingPathComponent(".gatehouse/gatehouse.db.devgame.secret"), encoding: .utf8
            ).trimmingCharacters(in: .newlines)
            // The script separates steps at commas and colons, and trims them.
            let steps = try await run(
                "play", "--server", server.url, "--storage", "device.json", "--json", "--script",
                "player:\(Self.subject),login:google", in: folder)
            struct Step: Decodable {
                let userId: String?
            }
            let last = try #require(steps.lines.last)
            let user = try #require(try JSONDecoder().decode(Step.self, from: Data(last.utf8)).userId)

            let attack = String(decoding: try JSONEncoder().encode(Self.attack), as: UTF8.self)
            let ban = """
                {"userIdList": ["\(user)"], "banTypeCode": "PERMANENT", "templateCode": 1, "banReason": \(attack),
                 "flags": \(attack), "banCaller": "APP_SERVER", "regUser": \(attack)}
                """
            _ = try await run(
                "ban", "template", "--code", "1", "--name", Self.attack, "--message", "en=\(Self.attack)", in: folder)
            let answer = try await GatehouseClient.Environment.live().send(
                TransportRequest(
                    method: "POST",
                    url: try #require(URL(string: "\(server.url)/tcgb-gateway/v1.3/apps/devgame/members/ban")),
                    headers: ["X-Secret-Key": secret, "Content-Type": "application/json"], body: Data(ban.utf8),
                    timeoutSeconds: 60))
            #expect(String(decoding: answer.body, as: UTF8.self).contains(#""isSuccessful":true"#))
            // A new app's name is checked. One from before may be in the database.
            _ = try await run(["app", "create", "other", "--name", Self.attack], in: folder, fails: true)
            _ = try await run("app", "create", "other", "--name", "Other", in: folder)
            let renamed = try await Command.run(
                [
                    "-cmd", ".timeout 60000", ".gatehouse/gatehouse.db",
                    "UPDATE apps SET name = '\(Self.attack)' WHERE app_id = 'other'",
                ], in: folder, executable: "sqlite3")
            #expect(renamed.status == 0, "\(renamed.text)")

            // Each shows the text in one line and escaped.
            for arguments in [
                ["ban", "list"], ["ban", "list", user], ["ban", "template"], ["member", "show", user],
                ["member", "history", user], ["app", "list"],
            ] {
                let shown = try await run(arguments, in: folder)
                #expect(shown.text.contains(Self.escaped), "\(arguments): \(shown.text)")
            }
            #expect(try await run(["member", "show", user], in: folder).text.contains(Self.escapedSubject))
            #expect(try await run(["member", "search", Self.subject], in: folder).text.contains(user))
            // A refusal escapes the wrong value too.
            for arguments in [
                ["member", "show", Self.attack], ["app", "status", "devgame", Self.attack],
                ["ban", "release", Self.attack, "--reason", Self.attack],
                ["play", "--server", server.url, "--storage", "other.json", "--script", Self.attack],
            ] {
                _ = try await run(arguments, in: folder, fails: true)
            }
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }

    private func run(_ arguments: String..., in folder: URL) async throws -> Command.Result {
        try await run(arguments, in: folder)
    }

    /// Runs a command, and checks that its output contains no control characters and no forged line.
    private func run(_ arguments: [String], in folder: URL, fails: Bool = false) async throws -> Command.Result {
        let result = try await Command.run(arguments, in: folder, environment: ["GATEHOUSE_APP": "devgame"])
        #expect((result.status != 0) == fails, "\(arguments): \(result.text)")
        let harmful = result.text.unicodeScalars.filter { scalar in
            scalar != "\n" && scalar != "\t" && VisibleText.escaping(String(scalar)) != String(scalar)
        }
        #expect(harmful.isEmpty, "\(arguments)")
        if !fails { #expect(!result.lines.contains { $0.hasPrefix("forged") }, "\(arguments)") }
        return result
    }
}
