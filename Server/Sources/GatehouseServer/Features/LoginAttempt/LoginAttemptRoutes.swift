import Foundation
import GatehouseStorage
import GatehouseWire

/// Begins logins with a browser.
struct LoginAttemptRoutes: Sendable {
    let accounts: AccountWriter
    let providers: IdentityProviders
    let limits: CallLimits

    /// What is needed to send a browser to a provider.
    private struct Departure: Sendable {
        let plan: LoginAttemptRules.Plan
        let attempt: LoginAttempt
    }

    func begin(_ call: Call<LoginAttemptRequest>) async throws -> Answer<LoginAttempt> {
        let proof = try call.caller.requireProof()
        let body = call.body
        let info = try call.app.providers[body.provider].map {
            try AdditionalInfo($0, given: body.additionalInfo ?? [:])
        }
        guard RedirectTarget.isAllowed(body.redirectUri, in: call.app, scheme: info?.callbackScheme) else {
            throw Refusal.parameter(
                "redirectUri", "The redirect is not loopback, nor one that the app's operator has named.")
        }
        try limits.admitLoginAttempt(call, by: proof.key)
        let change = accounts.change(call)
        let id = TimeOrderedID.session(at: call.moment, random: change.random).rawValue
        let state = SplitToken(id: id, random: change.random)
        let departure: Departure
        do {
            departure = try await depart(call, proof, state, info, random: change.random)
        } catch let failure as IdentityFailure {
            providers.note(failure, of: body.provider, in: call.app)
            throw failure.refusal(rejected: .authIDPLoginFailed, misconfigured: .authIDPLoginInvalidIDPInfo)
        }
        let attempt = try await accounts.decide(at: call.moment) { tx in
            let attempt = try accounts.idempotency.perform(
                call.repeatable, by: .device(proof.key), at: call.moment, in: tx
            ) { attempt in
                attempt
            } _: {
                let end = try LoginAttemptRules.begin(
                    departure.plan, state: state, body.provider, on: proof.key, change, in: tx)
                var attempt = departure.attempt
                attempt.expiryDate = end.milliseconds
                return attempt
            }
            try spendProof(proof, code: .authIDPLoginFailed, at: call.moment, in: tx)
            return attempt
        }
        return Answer(attempt)
    }

    private func depart(
        _ call: Call<LoginAttemptRequest>, _ proof: Proof, _ state: SplitToken, _ info: AdditionalInfo?,
        random: RandomSource
    ) async throws -> Departure {
        let body = call.body
        let region = try body.region ?? info?.region()
        let client = try providers.client(for: body.provider, region: region, in: call.app)
        let login = CodeExchange.Login(
            state: state.text, nonce: Base64URL.encode(random.bytes(16)),
            verifier: Base64URL.encode(random.bytes(32)),
            redirectUri: client.configuration.callbackURL
                ?? proof.origin + Endpoints.path(Endpoints.callback, of: body.provider, app: call.app.id))
        let reauthenticates = body.reauthenticates ?? false
        let page = CodeExchange.Page(
            scopes: try info?.scopes(), parameters: try info?.parameters() ?? [:], reauthenticates: reauthenticates)
        let url = try await CodeExchange(client: client).authorizationURL(for: login, at: page)
        let unused = info?.unusedKeys ?? []
        let flow = client.description.authorization
        // A list of accounts has the former player's, who is in with one tap.
        let canReauthenticate = flow?.reauthentication.isEmpty == false && flow?.asksForPassword == true
        return Departure(
            plan: LoginAttemptRules.Plan(login: login, target: body.redirectUri, region: region),
            attempt: LoginAttempt(
                authorizationUrl: url, expiryDate: 0,
                needsPrivateSession: reauthenticates && !canReauthenticate ? true : nil,
                unusedKeys: unused.isEmpty ? nil : unused))
    }
}

/// Where a browser may be redirected from the server to the game.
enum RedirectTarget {
    /// - Parameter scheme: the game's URL scheme for logins at this provider, if the operator has set one.
    static func isAllowed(_ text: String, in app: App, scheme: String? = nil) -> Bool {
        guard (1...1_024).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let url = URLComponents(string: text), url.fragment == nil, url.user == nil, url.password == nil
        else { return false }
        return isLoopback(url) || (app.policy.redirects ?? []).contains(text)
            || scheme.map { text == "\($0)://login" } ?? false
    }

    /// What an operator may register: a URL scheme of the game or an https link, but nothing that a browser would execute.
    static func canBeNamed(_ text: String) -> Bool {
        guard (1...1_024).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(), url.fragment == nil,
            url.user == nil
        else { return false }
        if scheme == "https" { return url.host?.isEmpty == false }
        return !["http", "javascript", "data", "file", "vbscript", "about", "blob", "ws", "wss", "ftp"].contains(scheme)
    }

    /// Accepts loopback addresses only as numbers (RFC 8252 section 7.3), because a name could resolve to another address.
    private static func isLoopback(_ url: URLComponents) -> Bool {
        url.scheme == "http" && ["127.0.0.1", "[::1]", "::1"].contains(url.host ?? "") && url.port != nil
    }

    static func adding(_ name: String, _ value: String, to target: String) -> String {
        "\(target)\(target.contains("?") ? "&" : "?")\(name)=\(Form.encode(value))"
    }
}
