import GatehousePlatform
package import GatehouseSecurity
import GatehouseWire
import Synchronization
import X509

/// Makes the first steps of a login with invalid credentials. A provider that knows the client refuses them in a recognisable way.
package struct ProviderTest: Sendable {
    package let client: ProviderClient
    package let providers: ProviderVerification
    package let observations: ProviderObservations
    /// The address to which the provider would redirect a player.
    package let callback: String
    package let moment: Moment
    /// How long a login waits for the provider.
    package let mostSeconds: Int64

    package init(
        client: ProviderClient, providers: ProviderVerification, observations: ProviderObservations, callback: String,
        moment: Moment, mostSeconds: Int64
    ) {
        self.client = client
        self.providers = providers
        self.observations = observations
        self.callback = callback
        self.moment = moment
        self.mostSeconds = mostSeconds
    }

    package func findings() async -> [ProviderFinding] {
        var findings: [ProviderFinding] = []
        if let openID = client.description.openID {
            findings.append(await keys(openID))
            if let finding = await otherAlgorithms(openID) { findings.append(finding) }
        }
        if client.description.authorization != nil {
            findings.append(await page())
            findings.append(await client(in: login))
        }
        if !client.description.checks.isEmpty { findings.append(await checks()) }
        if client.description.isGameCenter { findings += certificates() }
        findings += revocation()
        if client.configuration.openID != nil { findings += await openIDRevocation() }
        if !client.description.isGameCenter { findings += timing() }
        return findings
    }

    /// Only keys whose signatures a login would accept are counted.
    private func keys(_ openID: OpenIDDescription) async -> ProviderFinding {
        do {
            let (published, _, accepted) = try await providers.algorithms(of: client, openID, at: moment)
            let count = published.count(where: accepted.contains)
            let names = accepted.joined(separator: " and ")
            guard count > 0 else {
                let found = Set(published).sorted().joined(separator: " and ")
                return .wrong(
                    "keys.other", "its keys: they sign with \(found), and logins accept \(names)",
                    ["found": found, "names": names])
            }
            return .fine(
                "keys.fine", "its keys are there: \(count) for \(names)", ["count": String(count), "names": names])
        } catch {
            return failed("keys.failed", "its keys", error)
        }
    }

    /// A provider may sign this client's ID tokens with any algorithm that its document names, and with any of its keys.
    private func otherAlgorithms(_ openID: OpenIDDescription) async -> ProviderFinding? {
        let named = (try? await client.endpoints()?.signingAlgorithms) ?? []
        let published = (try? await providers.algorithms(of: client, openID, at: moment).others) ?? []
        var others: [String] = []
        for name in named + published
        where !OpenIDVerifier.supportedAlgorithms.contains(name) && name != "none" && !others.contains(name) {
            others.append(name)
        }
        guard !others.isEmpty else { return nil }
        let found = others.prefix(8).map { VisibleText.escaping(String($0.prefix(32))) }.joined(separator: ", ")
        return .unknown(
            "keys.others",
            "its ID tokens: the provider can sign with \(found), too, and only \(OpenIDVerifier.known) are known: see that the client's "
                + "are signed with one of these", ["found": found, "names": OpenIDVerifier.known])
    }

    /// Whether a withdrawal could revoke what the provider has issued, as far as the discovery document tells.
    private func openIDRevocation() async -> [ProviderFinding] {
        do {
            let document = try await client.endpoints()
            guard !client.description.revocation.isEmpty || document?.revocationURL != nil else {
                return [
                    .unknown(
                        "revocation.none",
                        "withdrawals: the discovery document names no revocation endpoint, so nothing is revoked")
                ]
            }
            _ = try await client.authentication(at: .revocation, moment: moment)
            return []
        } catch IdentityFailure.misconfigured(let why) {
            return [.wrong("revocation.method", "withdrawals: \(why)", ["why": why])]
        } catch {
            // The other lines say why the document can't be read.
            return []
        }
    }

    private var login: CodeLogin {
        CodeLogin(
            state: "gatehouse-test", nonce: "gatehouse-test", verifier: String(repeating: "t", count: 43),
            redirectUri: callback)
    }

    /// Fetches the page to which a player's browser is sent. A provider that does not know the client or the callback shows an error
    /// there, and one that does not know a scope redirects the browser with an error.
    private func page() async -> ProviderFinding {
        do {
            let response = try await page(for: login)
            if let wrong = problem(with: response) { return wrong }
            // The big providers' pages are for browsers, and their response to a program tells only if it is another for a callback
            // that nobody has registered.
            let isOwn = client.configuration.openID != nil || client.configuration.partner != nil
            let tells: Bool
            if isOwn {
                tells = response.status < 400
            } else {
                var stranger = login
                stranger.redirectUri = "https://gatehouse-test.invalid/callback"
                tells = try await Self.shape(page(for: stranger)) != Self.shape(response)
            }
            guard tells else {
                return .unknown(
                    "page.unknown",
                    "browser logins: the provider's page answers \(response.status) to a program, which says nothing of a browser: only "
                        + "a login shows whether it knows the callback \(callback)",
                    ["callback": callback, "status": String(response.status)])
            }
            return .fine(
                "page.fine", "browser logins: the provider's page opens, with the callback \(callback)",
                ["callback": callback])
        } catch {
            return failed("page.failed", "browser logins", error)
        }
    }

    private func problem(with response: OutgoingResponse) -> ProviderFinding? {
        guard ![400, 401, 404].contains(response.status) else {
            return .wrong(
                "page.refused",
                "browser logins: the provider's page answers \(response.status): it does not know the client id, the callback "
                    + "\(callback) or a scope", ["callback": callback, "status": String(response.status)])
        }
        let target = response.location.flatMap { URLComponents(string: $0) }
        if let error = target?.queryItems?.first(where: { ["error", "authError"].contains($0.name) }) {
            let words = String((error.value ?? "").prefix(100))
            return .wrong(
                "page.error", "browser logins: the provider's page answers with the error \(words)", ["error": words])
        }
        return nil
    }

    private func page(for login: CodeLogin) async throws -> OutgoingResponse {
        let url = try await AuthorizationPage(of: client).url(for: login)
        return try await client.fetch(OutgoingRequest(method: "GET", url: url))
    }

    /// What the same kind of answer has in common: its status, and where it leads.
    private static func shape(_ response: OutgoingResponse) -> [String] {
        let target = response.location.flatMap { URLComponents(string: $0) }
        let isError = target?.queryItems?.contains { ["error", "authError"].contains($0.name) } ?? false
        return [String(response.status), target?.host ?? "", target?.path ?? "", String(isError)]
    }

    private func client(in login: CodeLogin) async -> ProviderFinding {
        do {
            return try await ClientTrial(client: client, login: login, moment: moment).finding()
        } catch {
            return failed("client.failed", "browser logins", error)
        }
    }

    private func checks() async -> ProviderFinding {
        guard client.description.namesAudience || client.configuration.acceptsUnboundTokens ?? false else {
            return .unknown(
                "tokens.off", "access tokens are not accepted: the provider can't say for whom it has issued them")
        }
        do {
            if let finding = try await callSecrets() { return finding }
            _ = try await TokenVerifier(client: client).person(of: ClientTrial.code, isOurs: false, at: moment)
            return .wrong("tokens.accepts-anything", "access tokens: the provider accepts one that nobody has issued")
        } catch IdentityFailure.rejected, IdentityFailure.expired, IdentityFailure.audienceMismatch {
            return .fine("tokens.fine", "access tokens: the provider answers")
        } catch {
            return failed("tokens.failed", "access tokens", error)
        }
    }

    /// What is wrong with the secrets that the first call holds. A provider that looks at them answers a made-up one in another way.
    private func callSecrets() async throws -> ProviderFinding? {
        guard let call = client.description.checks.first?.call, let control = client.withMadeUpCallSecrets() else {
            return nil
        }
        func refusal(of client: ProviderClient) async throws -> ClientTrial.Refusal {
            let request = try call.request(client.values(token: ClientTrial.code))
            return ClientTrial.refusal(try await client.fetch(request), of: client)
        }
        let real = try await refusal(of: client)
        guard try await refusal(of: control) == real else { return nil }
        guard ![401, 403].contains(real.status) else {
            return .wrong(
                "tokens.secret-wrong", "access tokens: the provider refuses the app's secret, as it does a made-up one")
        }
        return .unknown(
            "tokens.not-looked-at",
            "access tokens: whether the secret is right can't be known, because the provider answers a made-up one in the same way"
        )
    }

    private func certificates() -> [ProviderFinding] {
        guard let configured = client.configuration.gameCenter?.trustedCertificates else {
            guard providers.hasTrustStore else {
                return [.wrong("certificates.no-store", GameCenterChain.noTrustStore)]
            }
            return [
                .fine(
                    "certificates.system",
                    "its signers' certificates must be Apple's, and lead to an authority of this system"), bundle,
            ]
        }
        return configured.map { pem in
            guard let certificate = GameCenterChain.certificate(pem: pem) else {
                return .wrong("certificates.no-pem", "a certificate is no PEM")
            }
            let now = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000)
            guard certificate.notValidAfter > now else {
                return .wrong(
                    "certificates.expired", "\(certificate.subject) has expired", ["name": "\(certificate.subject)"])
            }
            return .fine(
                "certificates.own", "trusts \(certificate.subject), and none of this system's",
                ["name": "\(certificate.subject)"])
        } + [bundle]
    }

    private var bundle: ProviderFinding {
        .unknown("bundle.unknown", "the bundle ids: only a login on a device shows whether they are the game's")
    }

    private func revocation() -> [ProviderFinding] {
        let calls = client.description.revocation
        guard !calls.isEmpty else { return [] }
        if calls.contains(where: { $0.mentions("adminKey") }), client.secrets.adminKey == nil {
            return [.wrong("revocation.admin-key", "withdrawals: without the admin key nobody is unlinked")]
        }
        if client.description.oddities.clientSecret != nil, client.secrets.appleKey == nil {
            return [
                .wrong(
                    "revocation.apple-key",
                    "withdrawals: without the team's key Apple is not told, as its guidelines ask")
            ]
        }
        return []
    }

    private func failed(_ code: String, _ topic: String, _ error: any Error) -> ProviderFinding {
        let words = words(error)
        return .wrong(code, "\(topic): \(words)", ["why": words])
    }

    private func words(_ error: any Error) -> String {
        let words = (error as? IdentityFailure)?.words ?? "\(error)"
        guard case .unavailable? = error as? IdentityFailure, let outage = observations.outage else { return words }
        return "\(words): \(outage.host): \(outage.cause)"
    }
}

extension ProviderTest {
    /// How fast the provider answers, and whether its clock and ours agree.
    func timing() -> [ProviderFinding] {
        var findings: [ProviderFinding] = []
        if observations.fastestSeconds > Self.slowSeconds {
            let seconds = String(Int(observations.fastestSeconds.rounded(.up)))
            findings.append(
                .wrong(
                    "speed.slow",
                    "speed: an answer takes \(seconds) seconds, and a login waits \(mostSeconds) at most",
                    ["seconds": seconds, "most": String(mostSeconds)]))
        }
        if let ahead = observations.secondsAhead {
            let values = ["seconds": String(ahead.magnitude)]
            if ahead > OpenIDVerifier.leewaySeconds {
                findings.append(
                    .wrong(
                        "clock.ahead",
                        "clock: this server's is \(ahead) seconds ahead of the provider's: fresh tokens are refused",
                        values))
            } else if ahead < -OpenIDVerifier.leewaySeconds {
                findings.append(
                    .wrong(
                        "clock.behind",
                        "clock: this server's is \(ahead.magnitude) seconds behind the provider's: fresh tokens are refused",
                        values))
            } else {
                findings.append(.fine("clock.fine", "clock: it agrees with the provider's"))
            }
        } else if observations.outage == nil {
            findings.append(.unknown("clock.unknown", "clock: the provider's answers name no time"))
        }
        return findings
    }

    private static let slowSeconds = 2.0
}

/// What a test sees of a provider beside its answers: why it can't be asked, how long it takes, and its clock.
package final class ProviderObservations: Sendable {
    private struct State {
        var outage: ProviderOutage?
        var fastestNanoseconds: UInt64?
        /// How many seconds the server's clock is ahead of the provider's.
        var secondsAhead: Int64?
    }

    private let state = Mutex(State())

    package init() {}

    package func add(_ outage: ProviderOutage) { state.withLock { $0.outage = outage } }
    package var outage: ProviderOutage? { state.withLock { $0.outage } }
    /// How long the fastest answer took; 0 without one. One slow answer can be this machine's fault, when it is busy.
    package var fastestSeconds: Double { Double(state.withLock { $0.fastestNanoseconds } ?? 0) / 1_000_000_000 }
    package var secondsAhead: Int64? { state.withLock { $0.secondsAhead } }

    /// The same environment, with an eye on every answer.
    package func watching(_ environment: ServerEnvironment) -> ServerEnvironment {
        var watched = environment
        watched.fetch = { [self] request in
            let begin = environment.monotonicNanoseconds()
            let response = try await environment.fetch(request)
            let taken = environment.monotonicNanoseconds() &- begin
            let date = response.date.flatMap(HTTPDate.seconds)
            let now = environment.now().milliseconds / 1_000
            state.withLock { state in
                state.fastestNanoseconds = min(state.fastestNanoseconds ?? taken, taken)
                if let date { state.secondsAhead = now - date }
            }
            return response
        }
        return watched
    }
}
