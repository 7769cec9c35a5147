import GatehouseCore
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
            let visit = try await requests.context(of: request, context)
            let (limiter, claims) = (
                actions.services.limits.limiter, Limit.refusedCodes.claims(visit.view.app, address: address)
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
                    try await actions.run(login, by: actor, in: visit)
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
