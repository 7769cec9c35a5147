import GatehouseProviders
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
        return try await work.decideOnce { change, tx in
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
