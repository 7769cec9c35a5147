import GatehouseJSON
import GatehouseWire

extension LegacyDescription {
    /// Epic Online Services: ID tokens of its Connect interface. There is no list of players with device ids, so an exchange is the only
    /// way for them.
    static let eos = LegacyDescription(
        needs: [.audience],
        token: LegacyToken(
            kind: .idToken, issuer: { _ in "https://api.epicgames.dev/auth/v1/oauth" }, audience: { $0.audience },
            keys: .at { _ in "https://api.epicgames.dev/auth/v1/oauth/jwks" },
            person: { (claims, settings) throws(IdentityFailure) in
                if let deployment = settings.project, claims["pfdid"]?.string != deployment {
                    throw .rejected("it is of another deployment")
                }
                return LegacyPerson(legacyID: try claims["sub"].legacyID())
            }))
}
