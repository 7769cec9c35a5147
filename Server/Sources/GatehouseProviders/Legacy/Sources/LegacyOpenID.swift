import GatehouseJSON
import GatehouseWire

extension LegacyDescription {
    /// Any OpenID Connect issuer with a discovery document.
    static let openID = LegacyDescription(
        needs: [.issuer, .audience],
        token: LegacyToken(
            kind: .idToken, issuer: { $0.issuer }, audience: { $0.audience }, keys: .discovered,
            algorithms: OpenIDVerifier.supportedAlgorithms,
            otherKind: { claims, _ in claims["events"] == nil ? nil : "it is a report, and no ID token" },
            person: { (claims, _) throws(IdentityFailure) in
                LegacyPerson(legacyID: try claims["sub"].legacyID())
            }))
}
