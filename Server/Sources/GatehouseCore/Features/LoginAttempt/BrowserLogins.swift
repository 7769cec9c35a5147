import GatehouseJSON
import GatehousePlatform
package import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Begins a login with a browser: the answer has the address of the provider's page.
package struct BeginLogin: PlayerChange {
    let request: LoginAttemptRequest

    package init(request: LoginAttemptRequest) {
        self.request = request
    }

    /// What is needed to send a browser to a provider.
    private struct Departure: Sendable {
        let plan: LoginAttemptRules.Plan
        let attempt: LoginAttempt
    }

    package func perform(_ work: Work) async throws -> LoginAttempt {
        guard case .device(let key, let origin) = work.actor.principal else { throw Refusal(.notLoggedIn) }
        let info = try work.app.providers[request.provider].map {
            try AdditionalInfo($0, given: request.additionalInfo ?? [:])
        }
        guard RedirectTarget.isAllowed(request.redirectUri, in: work.app, scheme: info?.callbackScheme) else {
            throw Refusal.parameter(
                "redirectUri", "The redirect is not loopback, nor one that the app's operator has named.")
        }
        try work.admit(.loginAttempts)
        let random = work.services.random
        let id = TimeOrderedID.session(at: work.moment, random: random).rawValue
        let state = SplitToken(id: id, random: random)
        let departure: Departure
        do {
            departure = try await depart(work, from: origin, state, info)
        } catch let failure as IdentityFailure {
            work.services.providers.note(failure, of: request.provider, in: work.app.id)
            throw failure.refusal(rejected: .authIDPLoginFailed, misconfigured: .authIDPLoginInvalidIDPInfo)
        }
        return try await work.decide(once: .replayed) { change, tx in
            let end = try LoginAttemptRules.begin(
                departure.plan, state: state, request.provider, on: key, change, in: tx)
            var attempt = departure.attempt
            attempt.expiryDate = end.milliseconds
            return attempt
        }
    }

    private func depart(
        _ work: Work, from origin: String, _ state: SplitToken, _ info: AdditionalInfo?
    ) async throws -> Departure {
        let region = try request.region ?? info?.region()
        let client = try work.client(for: request.provider, region: region)
        let login = LoginAttemptRules.login(
            state, back: client.configuration.callback(of: request.provider, in: work.app.id, at: origin),
            random: work.services.random)
        let reauthenticates = request.reauthenticates ?? false
        let url = try await AuthorizationPage(of: client, info, reauthenticates: reauthenticates).url(for: login)
        let unused = info?.unusedKeys ?? []
        let flow = client.description.authorization
        // A list of accounts has the former player's, who is in with one tap.
        let canReauthenticate = flow?.reauthentication.isEmpty == false && flow?.asksForPassword == true
        return Departure(
            plan: LoginAttemptRules.Plan(login: login, target: request.redirectUri, region: region),
            attempt: LoginAttempt(
                authorizationUrl: url, expiryDate: 0,
                needsPrivateSession: reauthenticates && !canReauthenticate ? true : nil,
                unusedKeys: unused.isEmpty ? nil : unused))
    }
}

/// Takes a browser back from a provider's page: exchanges the provider's code, stores the verified identity, and says where the browser
/// goes on to the game.
package struct CompleteBrowserLogin: Action {
    package static let permission = Permission.play

    let provider: Provider
    /// What the provider has sent with the browser.
    let parameters: [String: String]

    package init(provider: Provider, parameters: [String: String]) {
        self.provider = provider
        self.parameters = parameters
    }

    /// Where the browser goes on.
    package struct Arrival: Sendable {
        package let url: String
        /// Nil for a login that has succeeded.
        package let failure: IdentityFailure?
    }

    /// Returns nil if the state is unknown or already used. Then the redirect to the game is not known either.
    package func perform(_ work: Work) async throws -> Arrival? {
        let (app, vault) = (work.app.id, work.services.vault)
        guard let state = parameters["state"].flatMap({ SplitToken($0) }),
            let plan = try await work.decide({ change, tx in
                try LoginAttemptRules.take(state, provider, app: app, vault: vault, at: change.moment, in: tx)
            })
        else { return nil }
        if plan.tester != nil { return try await completeTest(plan, state, work) }
        do {
            let identity = try await work.checking(.refusedCodes) { try await self.identity(plan, work) }
            let code = SplitToken(id: state.id, random: work.services.random)
            try await work.decide { _, tx in
                try LoginAttemptRules.verified(state, identity, code: code, app: app, vault: vault, in: tx)
            }
            return Arrival(url: RedirectTarget.adding(LoginReturn.code, code.text, to: plan.target), failure: nil)
        } catch let failure as IdentityFailure {
            try await end(state, work)
            work.note(
                failure == .cancelled ? "login.cancelled" : "login.failed",
                ["idp": provider.rawValue, "why": failure.words])
            return Arrival(
                url: RedirectTarget.adding(LoginReturn.error, failure.word, to: plan.target), failure: failure)
        } catch {
            // The browser has gone, or the database has not answered. It is best effort.
            try? await end(state, work)
            throw error
        }
    }

    /// Ends an attempt without a login.
    private func end(_ state: SplitToken, _ work: Work) async throws {
        let app = work.app.id
        try await Self.finishing {
            try await work.decide { _, tx in try LoginAttemptRules.failed(state, app: app, in: tx) }
        }
    }

    /// Writes how an attempt has ended, in a task that is not cancelled with this one: the browser may go at any time. The state was used
    /// up, so no browser can come back, and without its end the game, or the page of a test, would wait until the attempt expires.
    static func finishing(_ write: @escaping @Sendable () async throws -> Void) async throws {
        try await Task { try await write() }.value
    }

    private func identity(_ plan: LoginAttemptRules.Plan, _ work: Work) async throws -> VerifiedIdentity {
        let client = try work.client(for: provider, region: plan.region)
        let (code, credential) = try await arrived(plan, client)
        return try await work.services.providers.identity(of: code, plan.login, client, credential, at: work.moment)
    }

    /// The code that the provider has sent with the browser.
    ///
    /// - Throws: ``IdentityFailure`` if it has sent none, or if another provider has.
    func arrived(
        _ plan: LoginAttemptRules.Plan, _ client: ProviderClient
    ) async throws -> (code: ProviderToken, Credential) {
        let (issuers, isRequired) = try await AuthorizationPage(of: client).expectedIssuers()
        if let issuer = parameters["iss"] {
            guard issuers.contains(issuer) else { throw IdentityFailure.rejected("another provider has sent it") }
        } else if isRequired {
            throw IdentityFailure.rejected("the provider does not name itself")
        }
        if let error = parameters["error"] {
            let words = ["access_denied", "user_cancelled_authorize", "user_cancelled", "cancel"]
            if words.contains(error.lowercased()) { throw IdentityFailure.cancelled }
            // The provider's own failure says nothing about the player (RFC 6749 section 4.1.2.1).
            if ["server_error", "temporarily_unavailable"].contains(error) { throw IdentityFailure.unavailable }
            throw IdentityFailure.rejected("the provider has ended the login")
        }
        guard let code = parameters["code"], (1...4_096).contains(code.utf8.count) else {
            throw IdentityFailure.rejected("the provider has sent no code")
        }
        var credential = Credential(provider: provider)
        credential.region = plan.region
        credential.personName = client.description.oddities.personName?(parameters)
        return (ProviderToken(code), credential)
    }
}

/// Where a browser goes on from the server to the game.
enum RedirectTarget {
    /// Accepts a loopback address, and what the operator has registered.
    ///
    /// - Parameter scheme: the game's URL scheme for logins at this provider, if the operator has set one.
    static func isAllowed(_ text: String, in app: App, scheme: String? = nil) -> Bool {
        guard (1...1_024).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let url = URLComponents(string: text), url.fragment == nil, url.user == nil, url.password == nil
        else { return false }
        return isLoopback(url) || (app.policy.redirects ?? []).contains(text)
            || scheme.map { text == "\($0)://login" } ?? false
    }

    /// Accepts loopback addresses only as numbers (RFC 8252 section 7.3), because a name could resolve to another address.
    private static func isLoopback(_ url: URLComponents) -> Bool {
        url.scheme == "http" && ["127.0.0.1", "[::1]", "::1"].contains(url.host ?? "") && url.port != nil
    }

    static func adding(_ name: String, _ value: String, to target: String) -> String {
        "\(target)\(target.has("?") ? "&" : "?")\(name)=\(Form.encode(value))"
    }
}
