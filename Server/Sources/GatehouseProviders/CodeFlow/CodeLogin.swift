/// The parameters with which a code was requested (RFC 6749 section 4.1, RFC 7636). A browser login has all of them, and only the state,
/// the nonce and the challenge leave the server; for a code from a game, they are what the game sends.
package struct CodeLogin: Sendable, Hashable, Codable {
    package var state: String?
    package var nonce: String?
    package var verifier: String?
    package var redirectUri: String?

    package init(state: String? = nil, nonce: String? = nil, verifier: String? = nil, redirectUri: String? = nil) {
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
        self.redirectUri = redirectUri
    }
}
