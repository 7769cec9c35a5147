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
