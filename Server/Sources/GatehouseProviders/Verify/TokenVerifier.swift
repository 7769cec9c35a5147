import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

/// Verifies an access token by asking its provider.
package struct TokenVerifier: Sendable {
    /// The maximum length of a token; real ones have a few hundred characters.
    package static let maximumLength = 8_192

    package let client: ProviderClient

    package struct Person: Sendable {
        package let subject: String
        package let profile: [String: JSONValue]
        /// The end of the time during which the token could be presented again, if the provider reports it.
        package let expiresAt: Moment?
    }

    /// Returns the token's person.
    ///
    /// - Parameter isOurs: whether this server got the token from the provider itself, with the app's own client id. Then it is known
    ///   to whom it was issued.
    /// - Throws: ``IdentityFailure``.
    package func person(
        of token: ProviderToken, isOurs: Bool, at moment: Moment
    ) async throws -> Person {
        let description = client.description
        guard !description.checks.isEmpty else { throw IdentityFailure.incomplete("idToken") }
        guard (1...Self.maximumLength).contains(token.secretValue.utf8.count),
            token.secretValue.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw IdentityFailure.rejected("it is no token") }
        if let refusal = description.oddities.refusal?(token) { throw IdentityFailure.rejected(refusal) }
        guard description.namesAudience || isOurs || client.configuration.acceptsUnboundTokens ?? false else {
            throw IdentityFailure.unbound
        }
        var values = client.values(token: token)
        var subject: String?
        var profile: [String: JSONValue] = [:]
        var expiresAt: Moment?
        for check in description.checks {
            let answer = try await client.answer(to: check.call, &values)
            try checkAudience(check, answer)
            expiresAt = try expiry(check, answer, at: moment) ?? expiresAt
            if let path = check.subject {
                let found = try Self.subject(answer.at(path), isNumber: check.subjectIsNumber ?? false)
                guard subject == nil || subject == found else { throw IdentityFailure.rejected("it names two persons") }
                subject = found
            }
            if let path = check.profile, case .object(let members)? = path.isEmpty ? answer : answer.at(path) {
                for member in members { profile[member.name] = JSONValue(member.value) }
            }
        }
        guard let subject else { throw IdentityFailure.rejected("it names nobody") }
        return Person(subject: subject, profile: profile, expiresAt: expiresAt)
    }

    private func checkAudience(_ check: ProviderCheck, _ answer: StrictJSON.Value) throws {
        guard let path = check.audience else { return }
        guard let audience = answer.at(path)?.text, client.clientIds.contains(audience) else {
            throw IdentityFailure.audienceMismatch
        }
    }

    /// When the token expires; nil if this check doesn't report it, or reports that it never does.
    private func expiry(_ check: ProviderCheck, _ answer: StrictJSON.Value, at moment: Moment) throws -> Moment? {
        var expiry: Moment?
        if let paths = check.secondsLeft {
            guard let left = paths.lazy.compactMap({ answer.at($0)?.text }).first.flatMap({ Int64($0) }) else {
                throw IdentityFailure.rejected("the provider does not say how long it lives")
            }
            guard left > 0 else { throw IdentityFailure.expired }
            expiry = moment.adding(seconds: left)
        }
        if let path = check.expiresAt {
            guard let end = answer.at(path)?.text.flatMap({ Int64($0) }), end >= 0 else {
                throw IdentityFailure.rejected("the provider does not say how long it lives")
            }
            guard end == 0 || moment.milliseconds / 1_000 < end else { throw IdentityFailure.expired }
            if end > 0 { expiry = Moment(milliseconds: 0).adding(seconds: end) }
        }
        return expiry
    }

    /// A number is accepted only if the provider uses numbers, and zero never is (IDP-3).
    private static func subject(_ value: StrictJSON.Value?, isNumber: Bool) throws -> String {
        guard isNumber, let text = value?.text else { return try OpenIDVerifier.subject(value) }
        guard let number = Int64(text), number > 0, String(number) == text else {
            throw IdentityFailure.rejected("it names nobody")
        }
        return text
    }
}

/// A call that verifies an access token.
public struct ProviderCheck: Codable, Sendable, Hashable {
    public var call: ProviderCall
    /// The path of the person's id.
    public var subject: String?
    /// Whether that id is an integer; otherwise it is a string.
    public var subjectIsNumber: Bool?
    /// The path of the client to which the token was issued.
    public var audience: String?
    /// Paths of the token's remaining seconds. The first one that exists is used.
    public var secondsLeft: [String]?
    /// The path of the time of expiry, in seconds since 1970; 0 means never.
    public var expiresAt: String?
    /// The path of the profile; empty for the whole response.
    public var profile: String?

    public init(
        _ call: ProviderCall, subject: String? = nil, subjectIsNumber: Bool? = nil, audience: String? = nil,
        secondsLeft: [String]? = nil, expiresAt: String? = nil, profile: String? = nil
    ) {
        self.call = call
        self.subject = subject
        self.subjectIsNumber = subjectIsNumber
        self.audience = audience
        self.secondsLeft = secondsLeft
        self.expiresAt = expiresAt
        self.profile = profile
    }
}
