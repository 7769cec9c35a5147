import Crypto
import Foundation
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

extension Console {
    static let cookie = "__Host-gatehouse-console"

    /// The visit of a person who is signed in. Everybody else is shown the sign-in, which leads back.
    ///
    /// - Parameter form: the form that is sent; it needs the session's token, and comes from this origin.
    func visit(
        _ request: Request, _ context: ConsoleContext, sending form: FormValues? = nil
    ) async throws -> Visit {
        if form != nil { try requireOwnOrigin(request, context) }
        guard let token = Self.token(of: request) else { throw try await signInFirst(request, context) }
        let isUse = form != nil || request.uri.queryParameters[Visit.renewal[...]] == nil
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
            return visit(request, context, token: token, session: session, at: moment)
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

    func visit(
        _ request: Request, _ context: ConsoleContext, token: OperatorToken, session: OperatorSession, at moment: Moment
    ) -> Visit {
        let preferences = session.person.preferences
        let words = Words.of([preferences.language].compactMap { $0 } + Self.languages(of: request))
        return Visit(
            console: self, request: request, context: context, token: token, session: session, words: words,
            local: LocalTime(zone: preferences.zone, now: moment, words: words),
            query: (try? FormValues(encoded: request.uri.query ?? "")) ?? FormValues())
    }

    /// A link from elsewhere arrives without the cookie, because it is `Strict`. A page that loads itself again comes from here, and has
    /// it.
    private func signInFirst(_ request: Request, _ context: ConsoleContext) async throws -> PageFailure {
        let isCrossSite = request.method == .get && request.headers.value(of: .fetchSite) == "cross-site"
        guard !isCrossSite else {
            let html = "<!doctype html><html lang=\"en\"><head><title>Gatehouse</title></head><body></body></html>"
            var response = Self.html(html)
            if let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "0" }
            return PageFailure(response: response)
        }
        return PageFailure(response: try await signInPage(request, context, notice: nil, kept: nil))
    }

    static func token(of request: Request) -> OperatorToken? {
        for header in request.headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].trimmingSpaces() == cookie else { continue }
                return OperatorToken(parts[1].trimmingSpaces())
            }
        }
        return nil
    }

    /// - Throws: 5 for a form that another page has sent (CON-1).
    func requireOwnOrigin(_ request: Request, _ context: ConsoleContext) throws {
        let origin = request.headers[.origin] ?? ""
        let site = request.headers.value(of: .fetchSite)
        let isOwn =
            switch settings.origins {
            case .only: settings.origins.contains(origin)
            // A server of this machine is reached at any of its names and ports, so the form's page must be at the same.
            case .loopback:
                settings.origins.contains(origin)
                    && request.head.authority.map { origin == "http://\($0)" || origin == "https://\($0)" } ?? false
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

    func visitor(_ request: Request, _ context: ConsoleContext) -> OperatorVisitor {
        OperatorVisitor(address: context.source.address.description, agent: request.headers[.userAgent] ?? "")
    }
}

extension HTTPFields {
    func value(of name: HTTPField.Name?) -> String? { name.flatMap { self[$0] } }
}

extension HTTPField.Name? {
    /// Whether the browser's user has caused a request, and from where (Fetch Metadata).
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")
}
