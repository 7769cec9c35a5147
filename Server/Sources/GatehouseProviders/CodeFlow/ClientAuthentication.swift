import GatehousePlatform
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
