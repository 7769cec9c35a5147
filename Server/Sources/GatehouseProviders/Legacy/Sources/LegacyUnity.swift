import GatehouseJSON
import GatehouseWire

extension LegacyDescription {
    /// Unity Authentication: access tokens, whose audience lists the project and the environment.
    static let unity = LegacyDescription(
        needs: [.project],
        token: LegacyToken(
            kind: .accessToken, issuer: { _ in "https://player-auth.services.api.unity.com" },
            keys: .at { _ in "https://player-auth.services.api.unity.com/.well-known/jwks.json" },
            person: { (claims, settings) throws(IdentityFailure) in
                guard claims["project_id"]?.string == settings.project else {
                    throw .rejected("it is of another project")
                }
                if let audience = settings.audience, !(claims["aud"]?.strings ?? []).contains(audience) {
                    throw .audienceMismatch
                }
                var person = LegacyPerson(legacyID: try claims["sub"].legacyID())
                if let name = claims["sign_in_provider"]?.string, name != "anonymous" {
                    person.identities = [.init(name: name)]
                }
                return person
            }))
}
