import Crypto
import GatehouseCore
import GatehouseHTML
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

extension Console {
    static let cookie = "__Host-gatehouse-console"
    static let browserCookie = "__Host-gatehouse-browser"

    /// The request of a person who is signed in. Everybody else is shown the sign-in, which leads back.
    ///
    /// - Parameter form: the form that is sent; it needs the session's token. ``form(_:_:)`` has read it.
    func pageRequest(
        _ request: Request, _ context: ConsoleContext, sending form: FormValues? = nil
    ) async throws -> PageRequest {
        guard let token = Self.token(of: request) else { throw try await signInFirst(request, context) }
        let query = (try? FormValues(encoded: (request.uri.query ?? "").utf8)) ?? FormValues()
        let isUse = form != nil || query.all[PageRequest.renewal] == nil
        let moment = now()
        switch try await actions.run(ReadOperatorSession(token: token, isUse: isUse), by: .console, at: moment) {
        case .live(let session):
            if let form, !Self.isToken(form, of: token) {
                actions.noteForeignForm(by: session.person.name, at: context.source.address)
                throw Refusal(
                    .userPermission, "This form is not of this session. Load the page again.", httpStatus: 403)
            }
            sessions.note(session, of: token, at: moment)
            try await pace.wait(session.id)
            let page = pageRequest(request, context, token: token, session: session, at: moment)
            // What a live page asks for has no frame.
            if !page.isLive { await page.readFrame() }
            return page
        case .over(let session):
            sessions.forget(token)
            // What was typed outlives the session: the same person goes on with it after signing in.
            let isOwn = form.map { Self.isToken($0, of: token) } ?? false
            throw PageFailure(
                response: try await signInPage(
                    request, context, notice: "sign-in.over",
                    kept: isOwn
                        ? form.map { KeptForm(path: request.uri.path, values: $0, person: session.person.id) } : nil))
        case .unknown:
            sessions.forget(token)
            throw try await signInFirst(request, context)
        }
    }

    func pageRequest(
        _ request: Request, _ context: ConsoleContext, token: OperatorToken, session: OperatorSession, at moment: Moment
    ) -> PageRequest {
        let preferences = session.person.preferences
        let words = Words.of([preferences.language].compactMap { $0 } + Self.languages(of: request))
        return PageRequest(
            console: self, request: request, context: context, token: token, session: session, words: words,
            local: LocalTime(zone: preferences.zone, now: moment, words: words),
            query: (try? FormValues(encoded: (request.uri.query ?? "").utf8)) ?? FormValues())
    }

    /// Reads the form of a person who is signed in. Origin, cookie and session are looked at before the body is (INP-1).
    ///
    /// - Throws: the sign-in, for somebody who has no session.
    func form(_ request: Request, _ context: ConsoleContext) async throws -> FormValues {
        try requireOwnOrigin(request, context)
        let isKnown: Bool
        do {
            isKnown = try await hasSession(request)
        } catch let outage where Self.isGone(outage) {
            // Nobody can say whether there is a session, and what was typed must not be lost: the page of the error gives it back.
            guard let form = try? await FormValues(request, upTo: FormValues.strangersBytes) else { throw outage }
            return form
        }
        guard isKnown else { throw try await signInFirst(request, context) }
        return try await FormValues(request, upTo: FormValues.maximumBytes)
    }

    /// Reads the form of somebody who need not be signed in. Who goes on with a form after the session has ended sends that form, too.
    func strangersForm(_ request: Request, _ context: ConsoleContext) async throws -> FormValues {
        try requireOwnOrigin(request, context)
        let isKnown = (try? await hasSession(request)) ?? false
        return try await FormValues(request, upTo: isKnown ? FormValues.maximumBytes : FormValues.strangersBytes)
    }

    /// Whether the cookie is that of a session that lives, or has ended a short while ago.
    private func hasSession(_ request: Request) async throws -> Bool {
        guard let token = Self.token(of: request) else { return false }
        let moment = now()
        if sessions.session(of: token, at: moment) != nil { return true }
        switch try await actions.run(ReadOperatorSession(token: token, isUse: false), by: .console, at: moment) {
        case .live, .over: return true
        case .unknown: return false
        }
    }

    /// A link from elsewhere arrives without the cookie, because it is `Strict`. A page that loads itself again comes from here, and has
    /// it.
    private func signInFirst(_ request: Request, _ context: ConsoleContext) async throws -> PageFailure {
        let isCrossSite = request.method == .get && request.headers.value(of: .fetchSite) == "cross-site"
        guard !isCrossSite else {
            var response = Self.html(emptyPage)
            if let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "0" }
            return PageFailure(response: response)
        }
        return PageFailure(response: try await signInPage(request, context, notice: nil, kept: nil))
    }

    private var emptyPage: HTML {
        HTML.element("html", .lang("en")) {
            head { title { "Gatehouse" } }
            body {}
        }
    }

    static func token(of request: Request) -> OperatorToken? {
        value(of: cookie, in: request).flatMap { OperatorToken($0) }
    }

    /// The first cookie of a name.
    private static func value(of cookie: String, in request: Request) -> String? {
        for header in request.headers[values: .cookie] {
            for pair in header.parts(at: ";") {
                let parts = pair.parts(at: "=", atMost: 2)
                guard parts.count == 2, parts[0].trimmingSpaces().isExactly(cookie) else { continue }
                return parts[1].trimmingSpaces()
            }
        }
        return nil
    }

    /// - Throws: 5 for a form that another page has sent (CON-1).
    func requireOwnOrigin(_ request: Request, _ context: ConsoleContext) throws {
        let origin = request.headers[.origin].flatMap { settings.origins.origin($0) }
        let site = request.headers.value(of: .fetchSite)
        let isOwn =
            switch settings.origins {
            case .only: origin != nil
            // A server of this machine is reached at any of its names and ports, so the form's page must be at the same.
            case .loopback:
                origin != nil
                    && ["http", "https"].contains { WebOrigin("\($0)://\(request.head.authority ?? "")") == origin }
            }
        guard isOwn, site == nil || site == "same-origin" else {
            actions.noteForeignForm(by: nil, at: context.source.address)
            throw Refusal(.userPermission, "This form was sent by a page of another origin.", httpStatus: 403)
        }
    }

    /// Whether a page of the session has sent a form.
    static func isToken(_ form: FormValues, of token: OperatorToken) -> Bool {
        ConstantTime.isEqual(Array(form.raw("token").utf8), Array(formToken(of: token).utf8))
    }

    static func cookieField(_ token: OperatorToken?) -> String {
        let value = token?.text ?? ""
        let age = token == nil ? "; Max-Age=0" : ""
        return "\(cookie)=\(value); Path=/; Secure; HttpOnly; SameSite=Strict\(age)"
    }

    /// What a browser gets when somebody has signed in there: the session, and by what the next attempts there are known
    /// (``KnownBrowser``).
    func setCookies(
        of session: OperatorToken, named name: String, for visitor: OperatorVisitor, in response: inout Response
    ) {
        response.headers.append(HTTPField(name: .setCookie, value: Self.cookieField(session)))
        let browser = KnownBrowser(name: name, earlier: visitor.browser, random: random)
        guard let sealed = try? actions.sealBrowser(browser, at: now()) else { return }
        let field =
            "\(Self.browserCookie)=\(sealed); Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=\(KnownBrowser.seconds)"
        response.headers.append(HTTPField(name: .setCookie, value: field))
    }

    func visitor(_ request: Request, _ context: ConsoleContext) -> OperatorVisitor {
        OperatorVisitor(
            address: context.source.address.description, agent: request.headers[.userAgent] ?? "",
            browser: Self.value(of: Self.browserCookie, in: request).flatMap { actions.openBrowser($0, at: now()) })
    }
}

extension HTTPFields {
    func value(of name: HTTPField.Name?) -> String? { name.flatMap { self[$0] } }
}

extension HTTPField.Name? {
    /// Whether the browser's user has caused a request, and from where (Fetch Metadata).
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")
}

/// The sessions that this process has checked a short while ago. If the database does not answer, their persons may still read the page
/// about the server's health, and nothing else.
final class KnownSessions: Sendable {
    private static let capacity = 200
    private static let seconds: Int64 = 600

    private struct Known {
        let session: OperatorSession
        let checkedAt: Moment
    }

    private let sessions = Mutex<[[UInt8]: Known]>([:])

    func note(_ session: OperatorSession, of token: OperatorToken, at moment: Moment) {
        let key = Self.key(token)
        sessions.withLock { sessions in
            if sessions.count >= Self.capacity, sessions[key] == nil {
                sessions = sessions.filter { moment < $0.value.checkedAt.adding(seconds: Self.seconds) }
                if sessions.count >= Self.capacity { sessions = [:] }
            }
            sessions[key] = Known(session: session, checkedAt: moment)
        }
    }

    func forget(_ token: OperatorToken) { sessions.withLock { $0[Self.key(token)] = nil } }

    /// Nil for a session that is over, or that was not checked for ten minutes: somebody may have ended it.
    func session(of token: OperatorToken, at moment: Moment) -> OperatorSession? {
        guard let known = sessions.withLock({ $0[Self.key(token)] }), moment < known.session.expiresAt,
            moment < known.checkedAt.adding(seconds: Self.seconds)
        else { return nil }
        return known.session
    }

    private static func key(_ token: OperatorToken) -> [UInt8] { Array(SHA256.hash(data: Data(token.text.utf8))) }
}

extension Console {
    static func isGone(_ error: any Error) -> Bool { DatabaseFailure(error)?.isOutage ?? false }

    /// The request for the page about the server's health. Without the database it is that of a person whose session was checked a short
    /// while ago (UI-HEALTH-1).
    func healthRequest(
        _ request: Request, _ context: ConsoleContext
    ) async throws -> (page: PageRequest, isGone: Bool) {
        do {
            return (try await pageRequest(request, context), false)
        } catch  where Self.isGone(error) {
            let moment = now()
            guard let token = Self.token(of: request), let session = sessions.session(of: token, at: moment) else {
                throw error
            }
            _ = refusal(for: error, context)
            return (pageRequest(request, context, token: token, session: session, at: moment), true)
        }
    }
}

/// How fast the pages of one session may follow each other. A person never notices, and an operator's script can't take the processor
/// from players.
///
/// The generic cell rate algorithm: each page moves the moment up to which the session has used its share.
final class ConsolePace: Sendable {
    /// The share: a page each interval, and this many at once.
    private static let burst: UInt64 = 20
    /// A page that would have to wait longer is refused, because waiting requests pile up.
    private static let longestWait: UInt64 = 5_000_000_000
    /// From this number on, sessions that have used nothing lately are forgotten.
    private static let remembered = 1_000

    private let interval: UInt64
    private let now: @Sendable () -> UInt64
    private let pause: @Sendable (_ nanoseconds: UInt64) async throws -> Void
    private let used = Mutex<[String: UInt64]>([:])

    /// - Parameters:
    ///   - pagesPerSecond: 0 for no limit.
    ///   - now: a monotonic clock in nanoseconds.
    ///   - pause: waits.
    init(
        pagesPerSecond: Int, now: @escaping @Sendable () -> UInt64,
        pause: @escaping @Sendable (_ nanoseconds: UInt64) async throws -> Void
    ) {
        interval = pagesPerSecond > 0 ? 1_000_000_000 / UInt64(pagesPerSecond) : 0
        self.now = now
        self.pause = pause
    }

    /// How many sessions are remembered.
    var count: Int { used.withLock { $0.count } }

    /// Waits until a session's next page may begin.
    func wait(_ session: String) async throws {
        guard interval > 0 else { return }
        let delay = delay(session)
        guard delay <= Self.longestWait else { throw Refusal.tooManyRequests(retryAfterSeconds: 5) }
        if delay > 0 { try await pause(delay) }
    }

    /// How long a session's page has to wait that is asked for now, in nanoseconds.
    private func delay(_ session: String) -> UInt64 {
        let now = now()
        return used.withLock { used in
            if used.count >= Self.remembered { used = used.filter { $0.value > now } }
            let next = max(used[session] ?? now, now) &+ interval
            let ahead = next &- now
            let delay = ahead > interval * Self.burst ? ahead - interval * Self.burst : 0
            // A refused page does not count.
            if delay <= Self.longestWait { used[session] = next }
            return delay
        }
    }
}
