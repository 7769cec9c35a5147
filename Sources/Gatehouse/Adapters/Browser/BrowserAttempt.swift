public import Foundation
import GatehouseWire

/// A login with a browser that the server has begun.
public struct BrowserAttempt: Sendable, Hashable {
    /// The provider's page.
    public let url: URL
    /// Where a browser that has come back to loopback is redirected. The page tells the player how the login ended.
    public let pageURL: URL
    /// Whether the page belongs into a browser session that knows no earlier login: the player has logged out of this provider,
    /// which documents no parameter that makes it ask for a password.
    public let isPrivate: Bool

    /// Makes the value from its parts.
    public init(url: URL, pageURL: URL, isPrivate: Bool = false) {
        self.url = url
        self.pageURL = pageURL
        self.isPrivate = isPrivate
    }

    /// What a browser has brought back.
    struct Return: Sendable, Hashable {
        let code: ProviderToken?
        let error: String?

        /// Nil when the parameters are not those of a login.
        init?(_ parameters: [String: String]) {
            code = parameters[LoginReturn.code].map { ProviderToken($0) }
            error = parameters[LoginReturn.error]
            guard (code == nil) != (error == nil) else { return nil }
        }

        init?(_ url: URL) {
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            self.init(Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first })
        }

        /// The value of the page's `outcome` parameter.
        var outcome: String {
            if code != nil { return "success" }
            return error == LoginReturn.cancelled ? "cancelled" : "failed"
        }

        func credential(_ provider: Provider) throws -> Credential {
            guard let code else {
                throw error == LoginReturn.cancelled
                    ? AdapterError.cancelled : AdapterError.refused(ErrorReason(error ?? ""))
            }
            var credential = Credential(provider: provider)
            credential.loginCode = code
            return credential
        }
    }
}
