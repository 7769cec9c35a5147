import Foundation
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseStorage
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// What others have written, on every page of the console (UI-XSS).
@Suite(.timeLimit(.minutes(20)), .serialized, .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct ConsoleMarkupBrowserTests {
    /// Each mark of HTML with what makes it another character for Swift, and what would run if a mark got through.
    private static let payload =
        "\"\u{301} autofocus onfocus=window.xss=1 '\u{200d} <\u{fe0f}b> >\u{20dd} \"><img src=x onerror=window.xss=1>"
        + "</textarea></title><script>window.xss=1</script><!-- \u{202e}{{t}}"

    /// The same text without marks. It is as long as the payload is on a page, because lists have as many rows as a page may weigh.
    private static let harmless = payload.unicodeScalars.map { mark in
        switch mark {
        case "\"": "xxxxxx"
        case "'", "&": "xxxxx"
        case "<", ">": "xxxx"
        case "=", "{", "}", "/": "x"
        default: String(mark)
        }
    }.joined()

    /// The elements of a page in their order, each with the names of its attributes. A QR code is left out where its text is too long, and
    /// the payload in percent codes is longer than the harmless text. How many jobs wait and who else looks changes with time.
    private static let tree = """
        return [...document.querySelectorAll('*')].filter(e => !e.closest('svg.qr, nav .count, #live-others')).map(e => e.tagName + ' ' + [...e.attributes].map(a => a.name).sort().join(' '));
        """

    private struct PageTree: Sendable {
        let path: String
        let elements: [String]
    }

    // Browsers read HTML by one standard, so that one of them says what a page's elements are.
    @Test(
        "UI-XSS, CON-2: no text of the database and no text of an address makes an element or an attribute on any page")
    func payloads() async throws {
        // Charts have a bar for each hour with numbers, so both servers begin at the same moment, and an hour begins there.
        let begin = Date(timeIntervalSince1970: ((Date().timeIntervalSince1970 / 3_600).rounded(.down) + 25) * 3_600)
        let expected = try await Self.crawl(with: Self.harmless, from: begin)
        let found = try await Self.crawl(with: Self.payload, from: begin)
        #expect(expected.count > 60)
        #expect(expected.count == found.count)
        for (harmless, page) in zip(expected, found) where harmless.elements != page.elements {
            let difference = page.elements.difference(from: harmless.elements)
            Issue.record("\(page.path) differs from \(harmless.path): \(difference.prefix(6))")
        }
    }

    /// Puts the text everywhere, and opens what links lead to, a few pages of each kind.
    ///
    /// - Parameter begin: the server's time at the beginning.
    private static func crawl(with text: String, from begin: Date) async throws -> [PageTree] {
        let trees = Collected<PageTree>()
        try await ConsolePerson.run { server in
            try await server.advance(to: begin)
        } _: { server, driver, person in
            let user = try await server.seedEveryText(driver, person)
            let unfilled = try await StoredTexts.append(text, in: server.database)
            #expect(unfilled.isEmpty, "no row has \(unfilled.sorted())")
            // The frame of the pages keeps what it has read for five seconds.
            try await server.advance(seconds: 6)
            let quoted = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            var waiting = [
                "/console", "/console/me", "/console/apps/game/members?q=\(quoted)",
                "/console/find?app=game&q=\(quoted)",
                "/console/apps/game/do/ban.released?user=\(user)&reason=\(quoted)&other=\(quoted)",
                "/console/apps/game/do/member.banned?user=\(quoted)&message=\(quoted)",
            ]
            var (seen, kinds): (Set<String>, [String: Int]) = ([], [:])
            while let path = waiting.first, seen.count < 200 {
                waiting.removeFirst()
                let kind = String(path.prefix { $0 != "?" })
                    .replacing(/(members|numbers|help|refusals|devices)\/[^\/]+/) { "\($0.1)/ONE" }
                guard kinds[kind, default: 0] < (kind.contains("/help/") ? 1 : 2), seen.insert(path).inserted else {
                    continue
                }
                kinds[kind, default: 0] += 1
                try await driver.open(try #require(URL(string: path, relativeTo: server.url)).absoluteURL)
                guard try await driver.script("return document.contentType") == .string("text/html") else { continue }
                #expect(try await driver.script("return window.xss || 0") == .integer(0), "\(path)")
                #expect(try await driver.script(status) != .integer(500), "\(path)")
                await trees.add(PageTree(path: path, elements: try await driver.strings(tree)))
                waiting += try await driver.strings(ConsoleCrawlBrowserTests.links).filter {
                    !seen.contains($0) && !$0.hasSuffix("/text") && !$0.contains(".csv")
                }
                // A name that no operator may have is refused, which Chromium writes down.
                let complaints = try await driver.complaints().filter {
                    !$0.contains("the server responded with a status of 4")
                }
                #expect(complaints.isEmpty, "\(path): \(complaints)")
            }
        }
        return await trees.all
    }

    private static let status = "return performance.getEntriesByType('navigation')[0].responseStatus"

    private actor Collected<Value: Sendable> {
        private(set) var all: [Value] = []

        func add(_ value: Value) { all.append(value) }
    }
}

/// The texts of a database that others have written: players, providers, game servers and operators.
enum StoredTexts {
    /// Columns whose text the server itself forms, such as ids and the names of states. Nothing else can be in them.
    private static let formed: Set = [
        // Ids, and names of what has one.
        "app_id", "user_id", "mapped_user_id", "ban_id", "grace_ban_id", "entry_id", "session_id", "ticket_id",
        "account_id", "operator_id", "transaction_id", "refusal_id", "rule_id", "job_id", "attempt_id",
        "revocation_id", "key_id", "note_id", "version_id", "audit_id", "key_thumbprint", "replaces", "idp",
        "sessions_end_idp", "namespace", "node", "target", "idempotency_key", "once_key", "schema_migrations.name",
        "receiver_id", "last_used_from", "run_id", "claimed_key", "lane",
        // Words of a closed list.
        "status", "ban_type", "event", "actor", "door", "end_reason", "sessions_end_reason", "issued_type", "role",
        "action", "call", "unit", "metric", "label", "kind", "state", "condition_type", "currency", "outcome", "owner",
        "caller", "release_caller", "scopes", "refusals.reason", "default_language", "os_code", "store_code",
        "version_from", "version_below", "version", "changed", "verdict",
        // Documents that the server reads back into settings, each of whose texts has a form.
        "settings", "account_policy", "preferences", "flags", "counts", "options",
    ]

    /// Appends a text to each.
    ///
    /// - Returns: the columns that no row fills.
    static func append(_ text: String, in database: Database) async throws -> Set<String> {
        try await database.transact { tx in
            let columns = try tx.rows(
                """
                SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
                WHERE m.type = 'table' AND c.type = 'TEXT' ORDER BY m.name, c.cid
                """
            ) { row in (table: try row[0] as String, name: try row[1] as String) }
            var unfilled: Set<String> = []
            for column in columns
            where !formed.contains(column.name) && !formed.contains("\(column.table).\(column.name)") {
                let (table, name) = (SQL(stringLiteral: column.table), SQL(stringLiteral: column.name))
                let values = try tx.rows("SELECT DISTINCT \(name) FROM \(table) WHERE \(name) > ''") { row in
                    try row[0] as String
                }
                if values.isEmpty { unfilled.insert("\(column.table).\(column.name)") }
                for value in values {
                    try tx.execute(
                        "UPDATE \(table) SET \(name) = \(extended(value, by: text)) WHERE \(name) = \(value)")
                }
            }
            return unfilled
        }
    }

    /// In a document the text is appended to each of its texts, except for a word of a closed list.
    private static func extended(_ value: String, by text: String) throws -> String {
        guard value.hasPrefix("{") || value.hasPrefix("["),
            let document = try? JSONDecoder().decode(JSONValue.self, from: Data(value.utf8))
        else { return value + text }
        return String(decoding: try JSONEncoder().encode(extended(document, by: text)), as: UTF8.self)
    }

    private static func extended(_ value: JSONValue, by text: String) -> JSONValue {
        switch value {
        case .string(let string): .string(string + text)
        case .array(let values): .array(values.map { extended($0, by: text) })
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { ($0, $0 == "verdict" ? $1 : extended($1, by: text)) }))
        default: value
        }
    }
}
