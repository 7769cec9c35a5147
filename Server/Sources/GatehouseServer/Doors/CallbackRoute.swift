import GatehouseCore
import GatehouseHTML
import GatehouseLook
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The callback for players' browsers: identity providers redirect them here, and it redirects them to the game. Its pages are for
/// players, and no response reveals more than they may know.
struct CallbackRoute: Sendable {
    let actions: Actions
    let requests: RequestReader

    func add(to router: Router<GatehouseContext>) {
        let path = RouterPath(Endpoints.callback)
        router.get(path) { request, context -> Response in
            // A code counts once, and what scans links asks for their heads before the browser opens them.
            guard !context.isHead else {
                let languages = AcceptedLanguages.parse(request.headers[.acceptLanguage])
                return LoginPage(outcome: .over, languages: languages).response()
            }
            return await answer(request, context) { _ in Array((request.uri.query ?? "").utf8) }
        }
        // Apple sends a form.
        router.post(path) { request, context in
            await answer(request, context) { request in
                Array(try await RequestBody.collect(&request, upTo: Self.maximumBytes).readableBytesView)
            }
        }
    }

    private static let maximumBytes = 16_384

    /// Every failure is shown as a page, because a player sees it, not a developer. An address with too many of them is refused before
    /// anything of its request is read, and what is no form counts as one (INP-1).
    private func answer(
        _ request: Request, _ context: GatehouseContext, _ bytes: (inout Request) async throws -> [UInt8]
    ) async -> Response {
        var request = request
        let languages = AcceptedLanguages.parse(request.headers[.acceptLanguage])
        let address = requests.note(request, context)
        do {
            let callContext = try await requests.context(of: request, context)
            let (limiter, claims) = (
                actions.services.limits.limiter, Limit.refusedCodes.claims(callContext.app, address: address)
            )
            if let wait = limiter.wait(claims) { throw Refusal.tooManyRequests(retryAfterSeconds: wait) }
            let form = try await bytes(&request)
            guard form.count <= Self.maximumBytes, let parameters = Form.parse(form) else {
                limiter.count(claims)
                return LoginPage(outcome: .failed, languages: languages).response(.badRequest)
            }
            let login = CompleteBrowserLogin(
                provider: Provider(context.parameters.get("idp") ?? ""), parameters: parameters)
            let actor = Actor(principal: .anyone(nil), door: .httpAPI)
            guard
                let arrival = try await context.whileClientWaits({
                    try await actions.run(login, by: actor, in: callContext)
                })
            else { return LoginPage(outcome: .over, languages: languages).response(.badRequest) }
            return LoginPage(outcome: .init(arrival.failure), languages: languages, target: arrival.url).response()
        } catch let refusal as Refusal {
            return LoginPage(outcome: .failed, languages: languages).response(.init(code: refusal.status))
        } catch is CancellationError {
            // The browser has disconnected, so nobody sees the page.
            return LoginPage(outcome: .failed, languages: languages).response(.init(code: 499))
        } catch {
            context.logger.error("a login with a browser failed", metadata: ["error": "\(error)"])
            return LoginPage(outcome: .failed, languages: languages).response(.serviceUnavailable)
        }
    }
}

extension LoginPage.Outcome {
    fileprivate init(_ failure: IdentityFailure?) {
        switch failure {
        case nil: self = .success
        case .cancelled?: self = .cancelled
        case _?: self = .failed
        }
    }
}

/// The page that a player's browser shows at the end of a login: plain, without scripts, in the player's language.
struct LoginPage: Sendable {
    enum Outcome: String, Sendable {
        case success, cancelled, failed
        /// The attempt has already ended, or never existed.
        case over
    }

    let outcome: Outcome
    let languages: [String]
    /// Where the browser is redirected automatically.
    var target: String?

    private static let titles: [Outcome: LocalizedText] = [
        .success: LocalizedText(["en": "You are logged in", "ko": "로그인되었습니다", "ja": "ログインしました"]),
        .cancelled: LocalizedText(["en": "The login was cancelled", "ko": "로그인이 취소되었습니다", "ja": "ログインをキャンセルしました"]),
        .failed: LocalizedText(["en": "The login failed", "ko": "로그인하지 못했습니다", "ja": "ログインできませんでした"]),
        .over: LocalizedText(["en": "This login is over", "ko": "이미 끝난 로그인입니다", "ja": "このログインは終了しています"]),
    ]

    private static let texts: [Outcome: LocalizedText] = [
        .success: LocalizedText([
            "en": "Go back to the game. You can close this page.", "ko": "게임으로 돌아가세요. 이 페이지는 닫아도 됩니다.",
            "ja": "ゲームに戻ってください。このページは閉じてかまいません。",
        ]),
        .cancelled: LocalizedText([
            "en": "Nothing has changed. Go back to the game to try again.", "ko": "변경된 것은 없습니다. 다시 하려면 게임으로 돌아가세요.",
            "ja": "何も変更されていません。やり直すにはゲームに戻ってください。",
        ]),
        .failed: LocalizedText([
            "en": "Go back to the game and try again, or choose another way to log in.",
            "ko": "게임으로 돌아가 다시 시도하거나 다른 로그인 방법을 선택하세요.", "ja": "ゲームに戻ってもう一度試すか、別のログイン方法を選んでください。",
        ]),
        .over: LocalizedText([
            "en": "Each login page works once and for ten minutes. Begin a new login in the game.",
            "ko": "로그인 페이지는 10분 안에 한 번만 사용할 수 있습니다. 게임에서 다시 로그인하세요.",
            "ja": "ログインページは10分以内に一度だけ使えます。ゲームからもう一度ログインしてください。",
        ]),
    ]

    private static let link = LocalizedText(["en": "Back to the game", "ko": "게임으로 돌아가기", "ja": "ゲームに戻る"])

    func response(_ status: HTTPResponse.Status? = nil) -> Response {
        var headers = HTTPFields()
        // The address contains a code, which must stay between browser and game.
        if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
        if let target { headers[.location] = target }
        return page.response(status ?? (target == nil ? .ok : .seeOther), headers: headers)
    }

    private func text(_ text: LocalizedText?) -> String {
        text?.text(preferring: languages, fallback: "en") ?? ""
    }

    private var page: PlainPage {
        let way =
            target.map { #"<p><a class="button primary" href="\#(HTML.escaped($0))">\#(text(Self.link))</a></p>"# }
            ?? ""
        return PlainPage(
            text(Self.titles[outcome]), language: LocalizedText.language(ofPagesFor: languages), form: .message,
            content: "<p>\(text(Self.texts[outcome]))</p>\(way)")
    }
}

extension LocalizedText {
    /// The language of a page whose texts are in English, Korean and Japanese.
    static func language(ofPagesFor languages: [String]) -> String {
        LocalizedText(["en": "en", "ko": "ko", "ja": "ja"]).text(preferring: languages, fallback: "en") ?? "en"
    }
}

/// The page at the end of a login, for games without a page of their own.
struct LoginPageRoute: Sendable {
    func add(to router: Router<GatehouseContext>) {
        router.getOnly(RouterPath(Endpoints.loginPage)) { request, _ in
            let outcome = request.uri.query.flatMap { Form.parse($0) }?["outcome"].flatMap(LoginPage.Outcome.init)
            let languages = AcceptedLanguages.parse(request.headers[.acceptLanguage])
            return LoginPage(outcome: outcome ?? .failed, languages: languages).response()
        }
    }
}
