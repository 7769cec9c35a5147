import Foundation
import GatehouseWire
import X509

/// Asks a provider with what nobody has issued: a provider that knows the client refuses the rest in a way of its own.
struct ProviderTest: Sendable {
    let client: ProviderClient
    let providers: IdentityProviders
    let moment: Moment

    func findings() async -> [ProviderFinding] {
        var findings: [ProviderFinding] = []
        if client.description.openID != nil { findings.append(await keys()) }
        if client.description.authorization != nil { findings.append(await codes()) }
        if !client.description.checks.isEmpty { findings.append(await checks()) }
        if client.description.isGameCenter { findings += certificates() }
        findings += revocation()
        return findings
    }

    /// A token that is signed by nobody: to refuse it, the keys must be there.
    private func keys() async -> ProviderFinding {
        do {
            let count = try await providers.keyCount(of: client, at: moment)
            return .fine("its keys are there: \(count)")
        } catch {
            return .wrong("its keys: \(Self.words(error))")
        }
    }

    private func codes() async -> ProviderFinding {
        do {
            let login = CodeExchange.Login(
                state: "test", verifier: String(repeating: "t", count: 43),
                redirectUri: client.configuration.callbackURL ?? "https://gatehouse.invalid/")
            _ = try await CodeExchange(client: client).tokens(for: "gatehouse-test", of: login, at: moment)
            return .wrong("browser logins: the provider gives tokens for a code that nobody has issued")
        } catch IdentityFailure.rejected {
            return .fine("browser logins: the provider knows the client")
        } catch {
            return .wrong("browser logins: \(Self.words(error))")
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
            return .wrong("access tokens: \(Self.words(error))")
        }
    }

    private func certificates() -> [ProviderFinding] {
        (client.configuration.trustedCertificates ?? []).map { pem in
            guard let certificate = GameCenterVerifier.certificate(pem: pem) else {
                return .wrong("a certificate is no PEM")
            }
            let now = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000)
            guard certificate.notValidAfter > now else { return .wrong("\(certificate.subject) has expired") }
            return .fine("trusts \(certificate.subject)")
        }
    }

    private func revocation() -> [ProviderFinding] {
        let calls = client.description.revocation
        guard !calls.isEmpty else { return [] }
        if calls.contains(where: { $0.mentions("adminKey") }), client.secrets.adminKey == nil {
            return [.wrong("withdrawals: without the admin key nobody is unlinked")]
        }
        if client.description.authorization?.authentication == .appleKey, client.secrets.appleKey == nil {
            return [.wrong("withdrawals: without the team's key Apple is not told, as its guidelines ask")]
        }
        return []
    }

    private static func words(_ error: any Error) -> String {
        (error as? IdentityFailure)?.words ?? "\(error)"
    }
}
