import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import HummingbirdTesting
import Synchronization
import TestDatabases
import Testing

extension TestServer {
    /// The secret of the link that signs in at once, on the servers of the console's tests.
    static let consoleEntry = "entry-of-the-tests"

    /// Runs a test against a server with two apps and the console, over real connections from this machine.
    static func openConsole(
        on engine: Engine, change: (inout ServerConfiguration) -> Void = { _ in },
        surroundings: @escaping Surroundings = { _, _ in },
        _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = configuration()
        configuration.console?.entry = consoleEntry
        // Tests ask faster than people.
        configuration.console?.pagesPerSecond = 0
        change(&configuration)
        try await open(on: engine, configuration: configuration, setup: .live, surroundings: surroundings, test)
    }

    /// The browser of somebody whom the console does not know yet.
    var stranger: ConsoleBrowser { ConsoleBrowser(server: self, person: "") }

    /// The browser of the developer, who owns the server, has no password, and came by the link of `gatehouse dev`.
    func developer() async throws -> ConsoleBrowser {
        let browser = ConsoleBrowser(server: self, person: "developer")
        #expect(try await browser.get("/console/enter/\(Self.consoleEntry)").status == 303)
        return browser
    }

    /// The browser of an operator who was invited, has enrolled, and is signed in.
    ///
    /// - Parameter grants: roles by app; `*` is for every app and the server.
    func person(_ name: String, grants: [String: String]) async throws -> ConsoleBrowser {
        let apps = try await run(ListApps()).map(\.id)
        let token = try await runOnServer(InviteOperator(name: name, grants: .init(typed: grants, in: apps)))
            .text
        let browser = ConsoleBrowser(server: self, person: name)
        #expect(try await browser.enrol("/console/enrol/\(token)").status == 200)
        return browser
    }

    func person(_ name: String, _ role: OperatorRole, in app: AppID = TestServer.app) async throws -> ConsoleBrowser {
        try await person(name, grants: [app.rawValue: role.rawValue])
    }
}

/// A browser at the console: it keeps the cookie, sends what a browser sends, and fills in forms as they are shown.
final class ConsoleBrowser: Sendable {
    static let cookie = "__Host-gatehouse-console"

    let server: TestServer
    let person: String
    let password = "a quiet lake in winter"

    private struct State {
        var cookie: String?
        var secret: [UInt8]?
        var recoveryCodes: [String] = []
    }

    private let state: Mutex<State>

    init(server: TestServer, person: String, cookie: String? = nil) {
        self.server = server
        self.person = person
        state = Mutex(State(cookie: cookie))
    }

    var token: String? {
        get { state.withLock { $0.cookie } }
        set { state.withLock { $0.cookie = newValue } }
    }

    var recoveryCodes: [String] { state.withLock { $0.recoveryCodes } }

    /// The code that the person's device shows now. Each counts once, for thirty seconds.
    var code: String { state.withLock { TOTP(secret: $0.secret ?? []).code(at: server.clock.now) } }

    // MARK: Pages

    @discardableResult
    func get(_ path: String, headers: [String: String] = [:]) async throws -> ConsolePage {
        try await send(.get, path, body: nil, headers: headers)
    }

    /// Sends fields as a form of the console's own origin. A header that is given replaces the browser's.
    @discardableResult
    func post(_ path: String, _ fields: [String: String], headers: [String: String] = [:]) async throws -> ConsolePage {
        let own = [
            "Content-Type": "application/x-www-form-urlencoded", "Origin": TestServer.origin,
            "Sec-Fetch-Site": "same-origin",
        ]
        return try await send(
            .post, path, body: ConsolePage.encoded(fields),
            headers: own.merging(headers) { $1 }.filter { $0.value != "" })
    }

    private func send(
        _ method: HTTPRequest.Method, _ path: String, body: String?, headers: [String: String]
    ) async throws -> ConsolePage {
        var headers = headers
        if let token { headers["Cookie"] = "other=1; \(Self.cookie)=\(token)" }
        let answer = try await server.send(TestCall(method: method, path: path, headers: headers, body: body))
        for field in answer.headers[values: .setCookie] where field.hasPrefix("\(Self.cookie)=") {
            let value = String(field.dropFirst(Self.cookie.count + 1).prefix { $0 != ";" })
            token = value.isEmpty ? nil : value
        }
        return ConsolePage(path: path, answer: answer)
    }

    /// Sends a form of a page, as it is filled in, with some fields changed.
    ///
    /// - Parameter action: the end of the form's address; by default the only or first form of the page's main part.
    @discardableResult
    func submit(
        _ page: ConsolePage, _ fields: [String: String] = [:], to action: String? = nil
    ) async throws -> ConsolePage {
        let form = try page.form(action)
        return try await post(form.action, form.fields.merging(fields) { $1 })
    }

    /// Goes where a redirect leads.
    func follow(_ page: ConsolePage) async throws -> ConsolePage {
        #expect(page.status == 303, "\(page.text.suffix(1_500))")
        return try await get(try #require(page.answer.headers[.location]))
    }

    // MARK: Signing in

    /// Follows an invitation: sets the password, and confirms the second factor from the key that the page shows.
    func enrol(_ link: String, _ fields: [String: String] = [:]) async throws -> ConsolePage {
        let page = try await get(link)
        let key = try #require(page.html.firstMatch(of: /<code class="key">([A-Z2-7 ]+)<\/code>/)?.output.1)
        let secret = try #require(Self.base32(String(key)))
        state.withLock { $0.secret = secret }
        let done = try await submit(page, ["password": password, "code": code].merging(fields) { $1 })
        keepRecoveryCodes(of: done)
        return done
    }

    /// Sets up the second factor that a page offers, with a code of the present one.
    func renewFactor(at page: ConsolePage, code former: String) async throws -> ConsolePage {
        let key = try #require(page.html.firstMatch(of: /<code class="key">([A-Z2-7 ]+)<\/code>/)?.output.1)
        let secret = try #require(Self.base32(String(key)))
        state.withLock { $0.secret = secret }
        let done = try await submit(
            page, ["password": password, "code": former, "newCode": code], to: "/me/factor")
        keepRecoveryCodes(of: done)
        return done
    }

    private func keepRecoveryCodes(of page: ConsolePage) {
        let codes = page.html.matches(of: /<li><code>([a-z0-9-]+)<\/code>/).map { String($0.output.1) }
        state.withLock { $0.recoveryCodes = codes }
    }

    /// Signs in with the code of the next thirty seconds, because each counts once.
    func signIn(_ fields: [String: String] = [:], at page: ConsolePage? = nil) async throws -> ConsolePage {
        server.clock.advance(seconds: 30)
        let shown: ConsolePage
        if let page { shown = page } else { shown = try await get("/console/sign-in") }
        return try await submit(
            shown, ["name": person, "password": password, "code": code].merging(fields) { $1 }, to: "/sign-in")
    }

    private static func base32(_ text: String) -> [UInt8]? {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (bytes, buffer, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for letter in text where letter != " " {
            guard let value = letters.firstIndex(of: letter) else { return nil }
            buffer = (buffer << 5 | UInt32(value)) & 0xfff
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
        }
        return bytes
    }

    // MARK: Actions

    /// Fills in an action's form, and asks what will happen.
    ///
    /// - Parameters:
    ///   - query: what the address says, such as the member.
    ///   - fields: what is chosen in the form, if there is one.
    func confirmation(
        of action: String, in app: AppID = TestServer.app, _ query: [String: String] = [:],
        _ fields: [String: String] = [:]
    ) async throws -> ConsolePage {
        let values = ConsolePage.encoded(query)
        let page = try await get("/console/apps/\(app)/do/\(action)\(values.isEmpty ? "" : "?\(values)")")
        guard page.status == 200, (try? page.form("/do/\(action)/check")) != nil else { return page }
        return try await submit(page, fields, to: "/do/\(action)/check")
    }

    /// Does an action as a person does: form, what will happen, a reason, and the page to which the result leads.
    ///
    /// - Parameter more: fields of what is confirmed, such as the word that is typed.
    func perform(
        _ action: String, in app: AppID = TestServer.app, _ query: [String: String] = [:],
        _ fields: [String: String] = [:],
        more: [String: String] = [:]
    ) async throws -> ConsolePage {
        let page = try await confirmation(of: action, in: app, query, fields)
        guard page.status == 200 else { return page }
        let answer = try await submit(
            page, ["reason": "a reason of the tests"].merging(more) { $1 }, to: "/do/\(action)")
        return answer.status == 303 ? try await follow(answer) : answer
    }
}

extension ConsoleBrowser {
    /// The ordinary page of an undo that a result offers with one press.
    func ordinaryUndo(of done: ConsolePage) async throws -> ConsolePage {
        try await follow(get(done.form("/undo").action))
    }
}

/// A page of the console, as a test looks at it.
struct ConsolePage: Sendable {
    let path: String
    let answer: TestAnswer

    var status: Int { answer.status }
    var html: String { answer.text }

    /// The page's text, without markup.
    var text: String {
        Self.plain(
            html.replacing(/<(?:head|nav|script)\b[^>]*>.*?<\/(?:head|nav|script)>/.dotMatchesNewlines(), with: ""))
    }

    /// The line that says what came of an action.
    var result: String? {
        html.firstMatch(of: /<p class="notice good" role="status">(.*?)<\/p>/.dotMatchesNewlines())
            .map { Self.plain(String($0.output.1)) }
    }

    /// What is wrong with a field, as the page says it.
    func problem(_ field: String) -> String? {
        html.firstMatch(of: /<p class="problem" id="p-([^"]+)">(.*?)<\/p>/.dotMatchesNewlines())
            .flatMap { _ in
                html.matches(of: /<p class="problem" id="p-([^"]+)">(.*?)<\/p>/.dotMatchesNewlines())
                    .first { $0.output.1 == field }.map { Self.plain(String($0.output.2)) }
            }
    }

    /// The addresses of all links.
    var links: [String] { Self.links(in: html) }

    static func links(in html: String) -> [String] {
        html.matches(of: /<a\b[^>]* href="([^"]*)"/).map { unescaped(String($0.output.1)) }
    }

    /// The address of the list's next page.
    var older: String? {
        html.firstMatch(of: /rel="next" href="([^"]*)"/).map { Self.unescaped(String($0.output.1)) }
    }

    struct Form: Sendable {
        let action: String
        let method: String
        var fields: [String: String]
        /// The addresses of its buttons that have one of their own.
        var steps: [String] = []
    }

    struct NoForm: Error {
        let text: String
    }

    /// A form whose address ends so, or that of one of its buttons; by default the first of the page's main part.
    func form(_ action: String? = nil) throws -> Form {
        let main = html.range(of: "<main").map { String(html[$0.lowerBound...]) } ?? html
        let forms = Self.forms(in: action == nil ? main : html)
        func isMeant(_ address: String) -> Bool { action.map { address.prefix { $0 != "?" }.hasSuffix($0) } ?? true }
        if let form = forms.first(where: { isMeant($0.action) }) { return form }
        for form in forms {
            guard let step = form.steps.first(where: isMeant) else { continue }
            return Form(action: step, method: form.method, fields: form.fields)
        }
        throw NoForm(text: "there is no form \(action ?? "") on \(path), status \(status): \(text.suffix(1_500))")
    }

    var forms: [Form] { Self.forms(in: html) }

    private static func forms(in html: String) -> [Form] {
        html.matches(of: /<form\b([^>]*)>(.*?)<\/form>/.dotMatchesNewlines()).map { match in
            let body = String(match.output.2)
            var fields: [String: String] = [:]
            for input in body.matches(of: /<input\b([^>]*)>/) {
                let attributes = String(input.output.1)
                guard let name = attribute("name", attributes) else { continue }
                if ["checkbox", "radio"].contains(attribute("type", attributes) ?? ""),
                    !attributes.contains(/\ checked\b/)
                {
                    continue
                }
                fields[name] = attribute("value", attributes) ?? ""
            }
            for area in body.matches(of: /<textarea\b([^>]*)>\n?(.*?)<\/textarea>/.dotMatchesNewlines()) {
                guard let name = attribute("name", String(area.output.1)) else { continue }
                fields[name] = unescaped(String(area.output.2))
            }
            for choice in body.matches(of: /<select\b([^>]*)>(.*?)<\/select>/.dotMatchesNewlines()) {
                guard let name = attribute("name", String(choice.output.1)) else { continue }
                let options = choice.output.2.matches(of: /<option\b([^>]*)>([^<]*)/)
                let option = options.first { $0.output.1.contains(/\ selected\b/) } ?? options.first
                // An option without a value has that of its text.
                fields[name] = option.map { attribute("value", String($0.output.1)) ?? unescaped(String($0.output.2)) }
            }
            let attributes = String(match.output.1)
            return Form(
                action: attribute("action", attributes) ?? "", method: attribute("method", attributes) ?? "get",
                fields: fields,
                steps: body.matches(of: /<button\b([^>]*)>/).compactMap { attribute("formaction", String($0.output.1)) }
            )
        }
    }

    private static func attribute(_ name: String, _ attributes: String) -> String? {
        attributes.matches(of: /([a-z-]+)="([^"]*)"/).first { $0.output.1 == name }.map {
            unescaped(String($0.output.2))
        }
    }

    private static func plain(_ html: String) -> String {
        unescaped(html.replacing(/<[^>]*>/, with: " ")).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func unescaped(_ html: String) -> String {
        [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
        ]
        .reduce(html) { $0.replacing($1.0, with: $1.1) }
    }

    static func encoded(_ fields: [String: String]) -> String {
        let allowed = CharacterSet(charactersIn: "-._~").union(
            .alphanumerics.intersection(.init(charactersIn: "\u{0}"..."\u{7f}")))
        return fields.sorted { $0.key < $1.key }.map { name, value in
            let parts = [name, value].map { $0.addingPercentEncoding(withAllowedCharacters: allowed) ?? "" }
            return parts.joined(separator: "=")
        }.joined(separator: "&")
    }
}
