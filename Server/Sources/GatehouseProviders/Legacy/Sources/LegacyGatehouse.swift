import GatehouseJSON
import GatehouseWire

extension LegacyDescription {
    /// Another Gatehouse, whose app is an issuer of its own: the access tokens of its players. They have another type than ID tokens
    /// (RFC 9068), so they count nowhere but where an operator has said that the issuer is a Gatehouse.
    ///
    /// The provider of the session is not read as an identity: the token says when it was renewed, and not when the player has signed in.
    static let gatehouse = LegacyDescription(
        needs: [.issuer, .audience],
        token: LegacyToken(
            kind: .accessToken, issuer: { $0.issuer }, audience: { $0.audience }, keys: .discovered,
            algorithms: ["ES256"], type: "at+jwt",
            person: { (claims, _) throws(IdentityFailure) in
                guard let user = claims["sub"]?.string, user.utf8.count == UserID.length,
                    user.utf8.allSatisfy(UserID.alphabet.utf8.contains)
                else { throw .rejected("it names no member of a Gatehouse") }
                guard claims["sid"]?.string != nil, claims["cnf"]?["jkt"]?.string != nil else {
                    throw .rejected("it is no access token of a Gatehouse")
                }
                return LegacyPerson(legacyID: user)
            }))

    /// What the issuer of an app of a Gatehouse ends with.
    package static func gatehouseIssuerEnd(of app: String) -> String { "/v1/apps/\(app)" }
}
