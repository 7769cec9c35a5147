import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

/// The result of one check of an identity provider's settings.
public struct ProviderFinding: Sendable, Hashable, Codable {
    public enum Verdict: String, Sendable, Hashable, Codable {
        /// It was tried, and it works.
        case fine
        case wrong
        /// It was not tried, or the provider's answer does not tell.
        case unknown
    }

    public let verdict: Verdict
    /// The name of what was found, such as `client.secret-wrong`, for programs that have words of their own.
    public let code: String
    /// The values in those words.
    public let values: [String: String]
    /// The finding in English.
    public let text: String
    /// The region that was checked, of a provider with a channel for each.
    public internal(set) var region: String?

    public var isFine: Bool { verdict == .fine }
    public var isWrong: Bool { verdict == .wrong }

    package init(
        _ verdict: Verdict, _ code: String, _ text: String, _ values: [String: String] = [:], region: String? = nil
    ) {
        self.verdict = verdict
        self.code = code
        self.values = values
        self.text = text
        self.region = region
    }

    package static func fine(
        _ code: String, _ text: String, _ values: [String: String] = [:]
    ) -> ProviderFinding { .init(.fine, code, text, values) }

    package static func wrong(
        _ code: String, _ text: String, _ values: [String: String] = [:]
    ) -> ProviderFinding { .init(.wrong, code, text, values) }

    package static func unknown(
        _ code: String, _ text: String, _ values: [String: String] = [:]
    ) -> ProviderFinding { .init(.unknown, code, text, values) }

    /// The same finding about a region.
    package func of(_ region: String?) -> ProviderFinding {
        guard let region else { return self }
        return .init(verdict, code, "\(region): \(text)", values, region: region)
    }
}

/// The findings of a test that have one cause, and so one thing to do about them.
package struct ProviderFindingGroup: Sendable, Hashable {
    /// The part of the settings or of the provider that it is about, such as `client`; ``unreachable`` for calls that got no answer.
    package let cause: String
    package fileprivate(set) var findings: [ProviderFinding]

    package static let unreachable = "unreachable"

    /// The worst of its findings.
    package var verdict: ProviderFinding.Verdict {
        isWrong ? .wrong : findings.contains { $0.verdict == .unknown } ? .unknown : .fine
    }

    package var isWrong: Bool { findings.contains(where: \.isWrong) }
}

extension [ProviderFinding] {
    /// The findings by cause: what is wrong comes first, then what is fine, and at last what can't be known.
    package var byCause: [ProviderFindingGroup] {
        var groups: [ProviderFindingGroup] = []
        for finding in self {
            let index = groups.firstIndex { group in
                group.cause == finding.cause && group.findings.first?.failure == finding.failure
            }
            if let index {
                groups[index].findings.append(finding)
            } else {
                groups.append(ProviderFindingGroup(cause: finding.cause, findings: [finding]))
            }
        }
        return [ProviderFinding.Verdict.wrong, .fine, .unknown].flatMap { verdict in
            groups.filter { $0.verdict == verdict }
        }
    }
}

extension ProviderFinding {
    /// Why a call failed; nil for one that was answered. Calls that failed for the same reason are one finding to an operator.
    fileprivate var failure: String? { code.utf8.suffix(7).elementsEqual(".failed".utf8) ? values["why"] ?? "" : nil }

    fileprivate var cause: String {
        failure == nil ? code.firstPart(at: ".") : ProviderFindingGroup.unreachable
    }
}

/// What a provider says of a person who has logged in with a browser, as a test shows it. It has no token, and of what else is known of
/// the person only the names.
package struct LoginSample: Codable, Sendable, Hashable {
    package let identity: IdentityKey
    /// Who has signed the ID token; nil for a provider without ID tokens.
    package let issuer: String?
    package let audiences: [String]
    package let claims: [String]
}

extension CredentialVerifier {
    private static let maximumClaims = 100

    /// Exchanges a code as a login does, and keeps nothing of what comes back but this.
    ///
    /// - Throws: ``IdentityFailure``.
    func sample(
        of code: ProviderToken, _ login: CodeLogin, _ credential: Credential
    ) async throws -> LoginSample {
        let tokens = try await CodeExchange(client: client).tokens(for: code, of: login, at: moment)
        let person = try await person(of: tokens, nonce: login.nonce, credential, areOurs: true)
        var names = Set(person.profile.keys)
        var parties: (issuer: String?, audiences: [String]) = (nil, [])
        if let idToken = tokens.idToken, let openID = client.description.openID {
            let claims = try await verifier(of: client, openID, areOurs: true).verifiedClaims(of: idToken)
            parties = (claims["iss"]?.string, claims["aud"]?.strings ?? [])
            if case .object(let members) = claims { names.formUnion(members.map(\.name)) }
        }
        return LoginSample(
            identity: client.identity(person.subject), issuer: parties.issuer, audiences: parties.audiences,
            claims: names.sorted().prefix(Self.maximumClaims).map { String($0.prefix(100)) })
    }
}
