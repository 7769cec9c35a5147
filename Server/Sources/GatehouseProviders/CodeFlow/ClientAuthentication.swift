package import Crypto
package import CryptoExtras
import GatehouseJSON
package import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

/// How a client authenticates itself: a ``ClientAuthenticationMethod`` with its parameters.
package enum ClientAuthentication: Sendable {
    /// A public client sends only its id.
    case publicClient
    case secretInForm(ProviderToken)
    case secretInHeader(ProviderToken)
    case assertion(ClientAssertion)

    /// The client's parameters in a request to the token endpoint or to the revocation endpoint.
    ///
    /// - Throws: ``IdentityFailure/misconfigured(_:)`` for a key that can't sign.
    package func parameters(of clientId: String, at moment: Moment) throws -> CallAdditions {
        var parameters = CallAdditions(form: ["client_id": clientId])
        switch self {
        case .publicClient: break
        case .secretInForm(let secret): parameters.form["client_secret"] = secret.secretValue
        case .secretInHeader(let secret):
            // RFC 6749 section 2.3.1: both parts are form-encoded first.
            let pair = "\(Form.encode(clientId)):\(Form.encode(secret.secretValue))"
            parameters.headers["Authorization"] = "Basic \(Data(pair.utf8).base64EncodedString())"
        case .assertion(let assertion):
            parameters.form["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            parameters.form["client_assertion"] = try assertion.token(of: clientId, at: moment)
        }
        return parameters
    }
}

/// The methods by which a client authenticates at a provider, with their registered names (OpenID Connect Core section 9).
public enum ClientAuthenticationMethod: String, Codable, Sendable, Hashable, CaseIterable {
    case secretBasic = "client_secret_basic"
    case secretPost = "client_secret_post"
    case privateKeyJWT = "private_key_jwt"
    /// A public client has no secret.
    case publicClient = "none"
}

extension ProviderClient {
    /// The endpoints at which a client authenticates itself.
    package enum AuthenticatedEndpoint {
        case token, revocation
    }

    /// How this client authenticates: by the operator's setting, by the documentation of the provider's kind, or by the discovery
    /// document.
    ///
    /// - Throws: ``IdentityFailure``.
    package func authentication(at endpoint: AuthenticatedEndpoint, moment: Moment) async throws -> ClientAuthentication
    {
        let flow = description.authorization
        if let makeSecret = description.oddities.clientSecret {
            guard let client = clientIds.first else { throw IdentityFailure.misconfigured("it has no client secret") }
            return .secretInForm(try makeSecret(secrets, client, moment))
        }
        let method = try await method(at: endpoint)
        switch method {
        case .publicClient:
            guard !(flow?.needsSecret ?? false) else { throw IdentityFailure.misconfigured("it has no client secret") }
            return .publicClient
        case .secretPost, .secretBasic:
            guard let secret = secrets.clientSecret else {
                throw IdentityFailure.misconfigured("it has no client secret, which \(method.rawValue) needs")
            }
            return method == .secretPost ? .secretInForm(secret) : .secretInHeader(secret)
        case .privateKeyJWT:
            guard let key = secrets.clientKey else {
                throw IdentityFailure.misconfigured("it has no client key, which \(method.rawValue) needs")
            }
            let audience = try await endpoints()?.tokenURL ?? configuration.openID?.issuer ?? ""
            return .assertion(ClientAssertion(key: key, audience: audience, random: random))
        }
    }

    /// The methods for which the client has a secret or a key, the safest first.
    var possibleMethods: [ClientAuthenticationMethod] {
        (secrets.clientKey == nil ? [] : [.privateKeyJWT])
            + (secrets.clientSecret == nil ? [] : [.secretBasic, .secretPost])
    }

    private func method(at endpoint: AuthenticatedEndpoint) async throws -> ClientAuthenticationMethod {
        if let chosen = configuration.clientAuthentication {
            guard endpoint == .revocation, chosen != .publicClient,
                let offered = try? await endpoints()?.revocationAuthentication, !offered.contains(chosen.rawValue)
            else { return chosen }
            // The operator has chosen for the token endpoint, and the document says that the other one takes others.
            guard let other = possibleMethods.first(where: { offered.contains($0.rawValue) }) else {
                let words = offered.prefix(8).map { VisibleText.escaping($0) }.joined(separator: ", ")
                throw IdentityFailure.misconfigured(
                    "the provider's revocation endpoint authenticates clients by \(words) only")
            }
            return other
        }
        if let fixed = description.authorization?.authentication {
            return secrets.clientSecret == nil ? .publicClient : fixed
        }
        guard let first = possibleMethods.first else { return .publicClient }
        guard let offered = try await offeredMethods(at: endpoint) else { return first }
        guard let method = possibleMethods.first(where: { offered.contains($0.rawValue) }) else {
            let words = offered.prefix(8).map { VisibleText.escaping($0) }.joined(separator: ", ")
            throw IdentityFailure.misconfigured("the provider authenticates clients by \(words) only")
        }
        return method
    }

    /// The methods in the discovery document. Nil if it names none: then OpenID Connect's default applies, which is HTTP Basic for a
    /// client with a secret.
    private func offeredMethods(at endpoint: AuthenticatedEndpoint) async throws -> [String]? {
        switch endpoint {
        case .token: return try await endpoints(needing: .authentication)?.tokenAuthentication
        case .revocation:
            // If the operator has set the endpoint, there may be no discovery document.
            let document = configuration.openID?.revocationURL == nil ? try await endpoints() : try? await endpoints()
            return document?.revocationAuthentication ?? document?.tokenAuthentication
        }
    }
}

/// A token that a client signs to authenticate itself (RFC 7523 section 2.2). Each is made for one request.
package struct ClientAssertion: Sendable {
    package static let lifetimeSeconds: Int64 = 60

    package let key: ProviderSecrets.ClientKey
    /// The URL of the provider's token endpoint, which is also used in requests to other endpoints (OpenID Connect Core section 9).
    package let audience: String
    package let random: RandomSource

    package init(key: ProviderSecrets.ClientKey, audience: String, random: RandomSource) {
        self.key = key
        self.audience = audience
        self.random = random
    }

    package func token(of clientId: String, at moment: Moment) throws -> String {
        guard let signer = ClientSigningKey(pem: key.privateKey.secretValue) else {
            throw IdentityFailure.misconfigured("the client's private key is neither RSA nor P-256 in PEM")
        }
        let now = moment.milliseconds / 1_000
        let header = try JSONText.write(Header(alg: signer.algorithm, kid: key.keyId))
        let claims = try JSONText.write(
            Claims(
                iss: clientId, sub: clientId, aud: audience, jti: Base64URL.encode(random.bytes(16)), iat: now,
                exp: now + Self.lifetimeSeconds))
        let input = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        return "\(input).\(Base64URL.encode(try signer.signature(for: Data(input.utf8))))"
    }

    private struct Header: Encodable {
        let alg: String
        let kid: String?
    }

    private struct Claims: Encodable {
        let iss: String
        let sub: String
        let aud: String
        let jti: String
        let iat: Int64
        let exp: Int64
    }
}

/// A client's private key. Its kind determines the algorithm.
package enum ClientSigningKey {
    case es256(P256.Signing.PrivateKey)
    case rs256(_RSA.Signing.PrivateKey)

    /// Nil for anything but a P-256 key, or an RSA key of at least 2048 bits.
    package init?(pem: String) {
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
            self = .es256(key)
        } else if let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem), key.keySizeInBits >= 2_048 {
            self = .rs256(key)
        } else {
            return nil
        }
    }

    package var algorithm: String {
        switch self {
        case .es256: "ES256"
        case .rs256: "RS256"
        }
    }

    package func signature(for input: Data) throws -> Data {
        switch self {
        case .es256(let key): try key.signature(for: input).rawRepresentation
        case .rs256(let key): try key.signature(for: input, padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }
}
