import GatehouseJSON
import GatehouseWire

extension LegacyDescription {
    /// Amazon Cognito: ID tokens of a user pool, whose issuer is its address.
    static let cognito = LegacyDescription(
        needs: [.issuer, .audience],
        token: LegacyToken(
            kind: .idToken, issuer: { $0.issuer }, audience: { $0.audience },
            keys: .at { "\($0.issuer ?? "")/.well-known/jwks.json" },
            otherKind: { claims, _ in
                guard let use = claims["token_use"]?.string, use != "id" else { return nil }
                return "it is an access token, and no ID token"
            },
            person: { (claims, _) throws(IdentityFailure) in
                guard claims["token_use"]?.string == "id" else {
                    throw .rejected("it does not say that it is an ID token")
                }
                var person = LegacyPerson(legacyID: try claims["sub"].legacyID())
                if case .array(let identities)? = claims["identities"] {
                    person.identities = identities.compactMap { identity in
                        identity["providerName"]?.string.map { name in
                            .init(name: name.lowercased(), subject: identity["userId"]?.string)
                        }
                    }
                }
                return person
            }))
}
