import AsyncHTTPClient
public import GatehousePlatform
import NIOCore
import NIOHTTP1
import Synchronization

/// A headless browser: it goes through the pages of the fake world as one player, until the redirects end.
public struct FakeBrowser: Sendable {
    /// What the player does at a provider's page.
    public enum Action: String, Sendable {
        case login, cancel
    }

    /// The maximum number of steps. Real logins have three or four.
    private static let maximumSteps = 10

    /// A browser's persistent state. Without a shared profile, every page is opened in a new browser.
    public final class Profile: Sendable {
        private let state = Mutex((cookies: [String: [String: String]](), asked: 0))

        public init() {}

        /// How often a provider has asked which player logs in.
        public var timesAsked: Int { state.withLock { $0.asked } }

        func noteAsked() { state.withLock { $0.asked += 1 } }

        func cookies(for url: URL) -> String? {
            let cookies = state.withLock { $0.cookies[Self.place(url)] } ?? [:]
            return cookies.isEmpty ? nil : cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
        }

        func take(_ header: String, from url: URL) {
            let pair = header.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { return }
            state.withLock { $0.cookies[Self.place(url), default: [:]][String(pair[0])] = String(pair[1]) }
        }

        private static func place(_ url: URL) -> String { "\(url.host ?? ""):\(url.port ?? 0)" }
    }

    let player: String
    let action: Action
    let profile: Profile

    /// - Parameter player: the player who logs in when a provider's page asks.
    public init(player: String, action: Action = .login, profile: Profile = Profile()) {
        self.player = player
        self.action = action
        self.profile = profile
    }

    /// The last page.
    public struct Page: Sendable {
        public let url: URL
        public let status: Int
        public let text: String
    }

    /// Every address visited, and the last one's page.
    ///
    /// - Parameter follow: makes of a redirect's address the one that is opened, for a browser that somebody interferes with.
    public func open(
        _ url: URL, follow: @Sendable (URL) -> URL = { $0 }
    ) async throws -> (visited: [URL], page: Page) {
        var visited: [URL] = []
        var next = try await get(url)
        for _ in 0..<Self.maximumSteps {
            visited.append(next.url)
            if let location = next.location {
                guard let target = URL(string: location, relativeTo: next.url).map({ follow($0.absoluteURL) }) else {
                    break
                }
                // A URL scheme of a game is opened by the game.
                guard target.scheme == "http" || target.scheme == "https" else {
                    visited.append(target)
                    break
                }
                next = try await get(target)
            } else if next.page.text.has("name=\"fake_action\"") {
                var fields = Self.fields(of: next.page.text)
                // A list of accounts asks for no password: where the player's is not in it, the next page asks.
                let isList = fields["fake_action"] == "choose"
                if !isList { profile.noteAsked() }
                fields["fake_player"] = player
                if !isList || action == .cancel { fields["fake_action"] = action.rawValue }
                next = try await post(fields, to: Self.target(of: next.page.text) ?? next.url)
            } else if let target = Self.target(of: next.page.text), next.page.text.has("method=\"post\"") {
                next = try await post(Self.fields(of: next.page.text), to: target)
            } else {
                break
            }
        }
        return (visited, next.page)
    }

    private struct Answer {
        let url: URL
        let location: String?
        let page: Page
    }

    private static let client = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))

    private func get(_ url: URL) async throws -> Answer {
        try await send(HTTPClientRequest(url: url.absoluteString), url)
    }

    private func post(_ fields: [String: String], to url: URL) async throws -> Answer {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        let text = fields.map { name, value in
            "\(name.percentEncoded)=\(value.percentEncoded)"
        }.joined(separator: "&")
        request.body = .bytes(ByteBuffer(string: text))
        return try await send(request, url)
    }

    private func send(_ request: HTTPClientRequest, _ url: URL) async throws -> Answer {
        var request = request
        if let cookies = profile.cookies(for: url) { request.headers.add(name: "Cookie", value: cookies) }
        // It waits as long as a person would: beside a build a page takes more than twenty seconds.
        let response = try await Self.client.execute(request, timeout: .seconds(120))
        for header in response.headers["Set-Cookie"] { profile.take(header, from: url) }
        let body = try await response.body.collect(upTo: 1 << 20)
        let isRedirect = (300...399).contains(response.status.code)
        return Answer(
            url: url, location: isRedirect ? response.headers.first(name: "Location") : nil,
            page: Page(url: url, status: Int(response.status.code), text: String(buffer: body)))
    }

    /// The hidden fields of the first form.
    private static func fields(of html: String) -> [String: String] {
        let form = html.components(separatedBy: "</form>")[0]
        var fields: [String: String] = [:]
        for part in form.components(separatedBy: "<input type=\"hidden\" ").dropFirst() {
            guard let name = attribute("name", of: part), let value = attribute("value", of: part) else { continue }
            fields[name] = value
        }
        return fields
    }

    private static func target(of html: String) -> URL? {
        attribute("action", of: html).flatMap { URL(string: $0) }
    }

    private static func attribute(_ name: String, of html: String) -> String? {
        let parts = html.components(separatedBy: "\(name)=\"")
        guard parts.count > 1 else { return nil }
        return parts[1].components(separatedBy: "\"")[0].replacing("&lt;", with: "<")
            .replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&amp;", with: "&")
    }
}
