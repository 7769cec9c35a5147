import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// What is around every page of the console: who may reach it at all, the headers of safety, and the page of an error.
struct ConsoleMiddleware: RouterMiddleware {
    typealias Context = ConsoleContext

    let console: Console

    func handle(
        _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
    ) async throws -> Response {
        guard !context.source.isForwardedByStranger, console.settings.networks.contains(context.source.address) else {
            throw Refusal(.notSupported, "There is no such path.")
        }
        var response: Response
        do {
            response = try await console.settings.admit {
                guard !context.source.isInTheClear || request.uri.path.begins(with: "\(Console.prefix)/assets/") else {
                    return console.clearPage(request)
                }
                return try await next(request, context)
            }
        } catch let failure as PageFailure {
            response = failure.response
        } catch {
            response = await console.errorPage(for: error, request, context)
        }
        for (name, value) in Self.headers where response.headers[name] == nil { response.headers[name] = value }
        return response
    }

    /// With `no-referrer` a browser would send `Origin: null` with forms, so the referrer stays within the origin.
    private static let headers: [(HTTPField.Name, String)] =
        [
            (.cacheControl, "no-store"), (.xContentTypeOptions, "nosniff"),
            (
                .contentSecurityPolicy,
                "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
                    + "frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
            ),
        ]
        + [
            ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Robots-Tag", "noindex"),
        ].compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }
}

/// A response instead of the page, such as the sign-in.
struct PageFailure: Error {
    let response: Response
}

extension Console: Markup {
    /// The page of an error: what went wrong, its code, the transaction id, and what is known about what was changed. Somebody who is
    /// signed in sees it within the frame, from which there is a way on.
    func errorPage(
        for error: any Error, _ request: Request, _ context: ConsoleContext, unanswered: UnansweredForm? = nil
    ) async -> Response {
        let known = Self.token(of: request).flatMap { sessions.session(of: $0, at: now()) }
        let refusal = refusal(for: error, context)
        var status = HTTPResponse.Status(code: refusal.status)
        if status.code == 401 { status = .forbidden }
        let live = status.code < 500 && status.code != 429 ? await liveRequest(request, context) : nil
        let words =
            live?.words
            ?? Words.of([known?.person.preferences.language].compactMap { $0 } + Self.languages(of: request))
        let isGone = refusal.reason == .databaseUnavailable
        let title = words.optional("error.title.\(isGone ? "database" : "\(status.code)")") ?? words("error.title")
        let content = explanation(
            of: refusal, request, context, words, unanswered: status.code < 500 ? nil : unanswered)
        var response: Response
        if let live {
            var page = Page(title)
            page.status = status
            response = live.show(page) { content }
        } else {
            response = plainPage(title, words, status, hasBrand: false) { content }
        }
        if let seconds = refusal.retryAfterSeconds { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    /// The page of a session that lives, in the app of the address; nil for everybody else, and if the database can't say.
    private func liveRequest(_ request: Request, _ context: ConsoleContext) async -> PageRequest? {
        let moment = now()
        guard let token = Self.token(of: request),
            case .live(let session)? = try? await actions.run(
                ReadOperatorSession(token: token, isUse: false), by: .console, at: moment)
        else { return nil }
        var page = pageRequest(request, context, token: token, session: session, at: moment)
        if let id = Self.app(of: request.uri.path), let role = session.person.role(in: id),
            let app = try? await actions.context(of: id, at: moment).app
        {
            page.enter(app, as: role)
        }
        await page.readFrame()
        return page
    }

    /// What a refusal says, its code, what is known about what was changed, and the way on.
    @HTMLBuilder func explanation(
        of refusal: Refusal, _ request: Request, _ context: ConsoleContext, _ words: Words, unanswered: UnansweredForm?
    ) -> HTML {
        p { message(of: refusal, words) }
        if request.method == .post {
            p { strong { state(isKnown: refusal.status < 500, unanswered, words) } }
        }
        if let unanswered { repetition(of: unanswered, words) }
        p(.class("small")) {
            "\(words.named(refusal.code)) · \(words("error.transaction")) "
            code { context.source.transactionID.rawValue }
        }
        p {
            if let app = Self.app(of: request.uri.path) {
                Link(words("nav.overview"), Self.address(of: app)).button
                " "
            }
            Link(words("error.home"), Self.prefix).button
            if refusal.reason == .databaseUnavailable {
                " "
                Link(words("error.health"), "\(Self.prefix)/health").button
            }
        }
    }

    private func repetition(of unanswered: UnansweredForm, _ words: Words) -> HTML {
        form(.post, .action(unanswered.address)) {
            hidden("token", unanswered.token)
            all(unanswered.hidden)
            p { words("error.kept") }
            div(.class("buttons")) { button(.class("primary")) { words("error.again") } }
        }
    }

    /// What a refusal says. The rules' own sentences are English; in another language the meaning of the code stands for them.
    private func message(of refusal: Refusal, _ words: Words) -> String {
        let isEnglish = ASCII.isAll(refusal.message)
        guard words.language != "en", isEnglish else { return refusal.message }
        let key = refusal.status == 404 ? "error.no-page" : "code.\(refusal.code.rawValue)"
        return words.optional("problem.\(key)") ?? words.optional(key) ?? refusal.message
    }

    private func state(isKnown: Bool, _ again: UnansweredForm?, _ words: Words) -> String {
        guard let again else { return words(isKnown ? "error.nothing-changed" : "error.unknown-whether") }
        return words(again.isCheck ? "error.nothing-changed" : "error.unknown")
    }

    /// What a person is told of an error. It is counted as that of any other door is.
    func refusal(for error: any Error, _ context: ConsoleContext) -> Refusal {
        let refusal = actions.services.refusal(
            for: error, httpStatus: (error as? any HTTPResponseError)?.status.code,
            transactionID: context.source.transactionID, logger: context.logger)
        context.source.refused(refusal.code)
        return refusal
    }

    /// A page of somebody who is not signed in, or of an error.
    func plainPage(
        _ title: String, _ words: Words, _ status: HTTPResponse.Status = .ok, hasBrand: Bool = true,
        @HTMLBuilder _ content: () -> HTML
    ) -> Response {
        let page = HTML.element(
            "html", .lang(words.language), Attribute("data-show", words("frame.show-password"))
        ) {
            assets.head(title)
            body(.class("plain")) {
                main(.id("main")) {
                    if hasBrand { p(.class("brand")) { "Gatehouse" } }
                    h1 { title }
                    content()
                }
            }
        }
        return Self.html(page, status)
    }

    /// Instead of every page, for a browser that would send the password unencrypted. It would not keep the session's cookie, either.
    fileprivate func clearPage(_ request: Request) -> Response {
        let words = Words.of(Self.languages(of: request))
        return plainPage(words("clear.title"), words, .forbidden, hasBrand: false) {
            p { words("clear.text") }
            p { words("clear.proxy") }
        }
    }

    /// A response with a whole page.
    static func html(_ page: HTML, _ status: HTTPResponse.Status = .ok) -> Response { html(page.document, status) }

    static func html(_ document: [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(bytes: document)))
    }

    static func redirect(to address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address])
    }

    static func languages(of request: Request) -> [String] {
        AcceptedLanguages.parse(request.headers[.acceptLanguage])
    }
}

extension Words {
    /// What is wrong with a field, as the rules say it in English. In another language the console's sentence about the parameter stands for
    /// theirs, or the meaning of the code.
    func problem(_ refusal: Refusal, at parameter: String) -> String {
        if let own = optional("problem.\(parameter)") { return own }
        guard language != "en", ASCII.isAll(refusal.message) else { return refusal.message }
        return optional("problem.at.\(parameter)") ?? optional("code.\(refusal.code.rawValue)") ?? refusal.message
    }
}
