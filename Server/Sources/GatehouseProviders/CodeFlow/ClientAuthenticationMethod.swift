/// The methods by which a client authenticates at a provider, with their registered names (OpenID Connect Core section 9).
public enum ClientAuthenticationMethod: String, Codable, Sendable, Hashable, CaseIterable {
    case secretBasic = "client_secret_basic"
    case secretPost = "client_secret_post"
    case privateKeyJWT = "private_key_jwt"
    /// A public client has no secret.
    case publicClient = "none"
}
