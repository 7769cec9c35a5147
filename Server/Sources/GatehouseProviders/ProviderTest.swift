import Foundation
package import GatehouseSecurity
import GatehouseWire
import Synchronization
import X509

/// The result of one check.
public struct ProviderFinding: Sendable, Hashable {
    public let isFine: Bool
    public let text: String

    package init(isFine: Bool, text: String) {
        self.isFine = isFine
        self.text = text
    }

    package static func fine(_ text: String) -> ProviderFinding { .init(isFine: true, text: text) }
    package static func wrong(_ text: String) -> ProviderFinding { .init(isFine: false, text: text) }
}

/// Makes the first steps of a login with invalid credentials. A provider that knows the client refuses them in a recognisable way.
package struct ProviderTest: Sendable {
    package let client: ProviderClient
    package let providers: ProviderVerification
    package let outages: Outages
    /// The address to which the provider would redirect a player.
    package let callback: String
    package let moment: Moment

    package init(
        client: ProviderClient, providers: ProviderVerification, outages: Outages, callback: String, moment: Moment
    ) {
        self.client = client
        self.providers = providers
        self.outages = outages
        self.callback = callback
        self.moment = moment
    }

    /// Why the provider could not be asked, if known.
    package final class Outages: Sendable {
        private let last = Mutex<ProviderOutage?>(nil)

        package init() {}

        package func add(_ outage: ProviderOutage) { last.withLock { $0 = outage } }
        package var latest: ProviderOutage? { last.withLock { $0 } }
    }

    package func findings() async -> [ProviderFinding] {
        var findings: [ProviderFinding] = []
        if let openID = client.description.openID { findings.append(await keys(openID)) }
        if client.description.authorization != nil {
            // The big providers' pages are for browsers, and their response to a program says nothing about a player.
            if client.configuration.openID != nil { findings.append(await page()) }
            findings.append(await codes())
        }
        if !client.description.checks.isEmpty { findings.append(await checks()) }
        if client.description.isGameCenter { findings += certificates() }
        findings += revocation()
        return findings
    }

    /// Only keys whose signatures a login would accept are counted.
    private func keys(_ openID: OpenIDDescription) async -> ProviderFinding {
        do {
            let (published, accepted) = try await providers.algorithms(of: client, openID, at: moment)
            let count = published.count(where: accepted.contains)
            let names = accepted.joined(separator: " and ")
            guard count > 0 else {
                let found = Set(published).sorted().joined(separator: " and ")
                return .wrong("its keys: they sign with \(found), and logins accept \(names)")
            }
            return .fine("its keys are there: \(count) for \(names)")
        } catch {
            return .wrong("its keys: \(words(error))")
        }
    }

    private var login: CodeExchange.Login {
        CodeExchange.Login(
            state: "gatehouse-test", nonce: "gatehouse-test", verifier: String(repeating: "t", count: 43),
            redirectUri: callback)
    }

    /// Fetches the page to which a player's browser is sent. A provider that does not know the client or the callback shows an error
    /// there, and one that does not know a scope redirects the browser with an error.
    private func page() async -> ProviderFinding {
        do {
            let url = try await CodeExchange(client: client).authorizationURL(for: login)
            let response = try await client.fetch(OutgoingRequest(method: "GET", url: url))
            guard ![400, 401, 404].contains(response.status) else {
                return .wrong(
                    "browser logins: the provider's page answers \(response.status): it does not know the client id, the callback "
                        + "\(callback) or a scope")
            }
            guard response.status < 400 else {
                return .fine(
                    "browser logins: the provider's page answers \(response.status) to a program, which says nothing of a browser"
                )
            }
            let target = response.location.flatMap { URLComponents(string: $0) }
            if let error = target?.queryItems?.first(where: { $0.name == "error" })?.value {
                return .wrong("browser logins: the provider's page answers with the error \(error.prefix(100))")
            }
            return .fine("browser logins: the provider's page opens, with the callback \(callback)")
        } catch {
            return .wrong("browser logins: \(words(error))")
        }
    }

    private func codes() async -> ProviderFinding {
        do {
            _ = try await CodeExchange(client: client).tokens(for: "gatehouse-test", of: login, at: moment)
            return .wrong("browser logins: the provider gives tokens for a code that nobody has issued")
        } catch IdentityFailure.rejected {
            return .fine("browser logins: the provider knows the client")
        } catch {
            return .wrong("browser logins: \(words(error))")
        }
    }

    private func checks() async -> ProviderFinding {
        guard client.description.namesAudience || client.configuration.acceptsUnboundTokens ?? false else {
            return .fine("access tokens are not accepted: the provider can't say for whom it has issued them")
        }
        do {
            _ = try await TokenVerifier(client: client).person(of: "gatehouse-test", isOurs: false, at: moment)
            return .wrong("access tokens: the provider accepts one that nobody has issued")
        } catch IdentityFailure.rejected, IdentityFailure.expired, IdentityFailure.audienceMismatch {
            return .fine("access tokens: the provider answers")
        } catch {
            return .wrong("access tokens: \(words(error))")
        }
    }

    private func certificates() -> [ProviderFinding] {
        guard let configured = client.configuration.gameCenter?.trustedCertificates else {
            guard providers.hasTrustStore else { return [.wrong(GameCenterChain.noTrustStore)] }
            return [.fine("its signers' certificates must be Apple's, and lead to an authority of this system")]
        }
        return configured.map { pem in
            guard let certificate = GameCenterChain.certificate(pem: pem) else {
                return .wrong("a certificate is no PEM")
            }
            let now = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000)
            guard certificate.notValidAfter > now else { return .wrong("\(certificate.subject) has expired") }
            return .fine("trusts \(certificate.subject), and none of this system's")
        }
    }

    private func revocation() -> [ProviderFinding] {
        let calls = client.description.revocation
        guard !calls.isEmpty else { return [] }
        if calls.contains(where: { $0.mentions("adminKey") }), client.secrets.adminKey == nil {
            return [.wrong("withdrawals: without the admin key nobody is unlinked")]
        }
        if client.description.oddities.clientSecret != nil, client.secrets.appleKey == nil {
            return [.wrong("withdrawals: without the team's key Apple is not told, as its guidelines ask")]
        }
        return []
    }

    private func words(_ error: any Error) -> String {
        let words = (error as? IdentityFailure)?.words ?? "\(error)"
        guard case .unavailable? = error as? IdentityFailure, let outage = outages.latest else { return words }
        return "\(words): \(outage.host): \(outage.cause)"
    }
}
