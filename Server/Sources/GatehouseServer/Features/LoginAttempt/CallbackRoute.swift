import Foundation
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The callback for players' browsers: identity providers redirect them here, and it redirects them to the game. Its pages are for
/// players, and no response reveals more than they may know.
struct CallbackRoute: Sendable {
    let accounts: AccountWriter
    let providers: IdentityProviders
    let limits: CallLimits
    let directory: AppDirectory
    let environment: ServerEnvironment
    let audit: AuditLog
    let trustedProxies: Networks

    func add(to router: Router<GatehouseContext>) {
        let path = RouterPath(Endpoints.callback)
        router.get(path) { request, context in
            await answer(request, context) { _ in request.uri.query ?? "" }
        }
        // Apple sends a form.
        router.post(path) { request, context in
            await answer(request, context) { request in
                String(decoding: try await RequestBody.collect(&request).readableBytesView, as: UTF8.self)
            }
        }
        router.getOnly(RouterPath(Endpoints.loginPage)) { request, _ in
            let outcome = request.uri.query.flatMap { Form.parse($0) }?["outcome"].flatMap(LoginPage.Outcome.init)
            return LoginPage(outcome: outcome ?? .failed, languages: Self.languages(request)).response()
        }
    }

    private static func languages(_ request: Request) -> [String] {
        AcceptedLanguages.parse(request.headers[.acceptLanguage])
    }

    /// Every failure is shown as a page, because a player sees it, not a developer.
    private func answer(
        _ request: Request, _ context: GatehouseContext, _ text: (inout Request) async throws -> String
    ) async -> Response {
        var request = request
        let languages = Self.languages(request)
        context.visitor.note(
            app: context.parameters.get("appId"), address: trustedProxies.client(of: request, context))
        do {
            let form = try await text(&request)
            guard form.utf8.count <= 16_384, let parameters = Form.parse(form) else {
                return LoginPage(outcome: .failed, languages: languages).response(.badRequest)
            }
            let entry = try await directory.entry(AppID(context.parameters.get("appId") ?? ""))
            let visit = Visit(
                app: entry.app, provider: Provider(context.parameters.get("idp") ?? ""), parameters: parameters,
                moment: environment.now())
            let arrival = try await context.whileClientWaits { try await target(of: visit, context) }
            guard let target = arrival else {
                // The state is unknown or already used, so the redirect to the game is not known either.
                return LoginPage(outcome: .over, languages: languages).response(.badRequest)
            }
            return LoginPage(outcome: target.outcome, languages: languages, target: target.url).response()
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

    private struct Visit: Sendable {
        let app: App
        let provider: Provider
        let parameters: [String: String]
        let moment: Moment
    }

    private struct Target: Sendable {
        let url: String
        let outcome: LoginPage.Outcome
    }

    private func target(of visit: Visit, _ context: GatehouseContext) async throws -> Target? {
        let app = visit.app
        let vault = accounts.vault
        guard let state = visit.parameters["state"].flatMap({ SplitToken($0) }),
            let plan = try await accounts.database.decide({ tx in
                try LoginAttemptRules.take(
                    state, visit.provider, app: app.id, vault: vault, at: visit.moment, in: tx)
            })
        else { return nil }
        do {
            let identity = try await limits.checkingCode(
                in: app, from: context.visitor.address ?? context.peer
            ) { try await self.identity(of: visit, plan) }
            let code = SplitToken(id: state.id, random: environment.random)
            try await accounts.database.decide { tx in
                try LoginAttemptRules.verified(state, identity, code: code, vault: vault, in: tx)
            }
            return Target(
                url: RedirectTarget.adding(LoginReturn.code, code.text, to: plan.target), outcome: .success)
        } catch let failure as IdentityFailure {
            try await accounts.database.decide { tx in try LoginAttemptRules.failed(state, in: tx) }
            let word = failure.word
            audit.record(
                .init(
                    event: failure == .cancelled ? "login.cancelled" : "login.failed", app: app.id, actor: .player,
                    address: context.visitor.address?.description, transactionID: context.transactionID,
                    subject: ["idp": visit.provider.rawValue, "why": failure.words]))
            return Target(
                url: RedirectTarget.adding(LoginReturn.error, word, to: plan.target),
                outcome: failure == .cancelled ? .cancelled : .failed)
        }
    }

    private func identity(of visit: Visit, _ plan: LoginAttemptRules.Plan) async throws -> VerifiedIdentity {
        let client = try providers.client(for: visit.provider, region: plan.region, in: visit.app)
        let exchange = CodeExchange(client: client)
        let (issuers, isRequired) = try await exchange.expectedIssuers()
        if let issuer = visit.parameters["iss"] {
            guard issuers.contains(issuer) else { throw IdentityFailure.rejected("another provider has sent it") }
        } else if isRequired {
            throw IdentityFailure.rejected("the provider does not name itself")
        }
        if let error = visit.parameters["error"] {
            let words = ["access_denied", "user_cancelled_authorize", "user_cancelled", "cancel"]
            if words.contains(error.lowercased()) { throw IdentityFailure.cancelled }
            // The provider's own failure says nothing about the player (RFC 6749 section 4.1.2.1).
            if ["server_error", "temporarily_unavailable"].contains(error) { throw IdentityFailure.unavailable }
            throw IdentityFailure.rejected("the provider has ended the login")
        }
        guard let code = visit.parameters["code"], (1...4_096).contains(code.utf8.count) else {
            throw IdentityFailure.rejected("the provider has sent no code")
        }
        var credential = Credential(provider: visit.provider)
        credential.region = plan.region
        credential.personName = visit.parameters["user"].flatMap(Self.appleName)
        return try await providers.identity(
            of: ProviderToken(code), plan.login, client, credential, at: visit.moment)
    }

    /// Apple sends a name only once, beside the code: `{"name": {"firstName": ..., "lastName": ...}}`.
    private static func appleName(_ text: String) -> String? {
        guard let user = try? StrictJSON.parse(Array(text.utf8)) else { return nil }
        let parts = ["name.firstName", "name.lastName"].compactMap { user.at($0)?.string }.filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
