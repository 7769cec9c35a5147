import GatehouseJSON
import GatehouseWire

extension LegacyDescription {
    /// Nakama: session tokens, which name no issuer and no audience, so the server's own key is all that tells whose they are.
    static let nakama = LegacyDescription(
        needs: [],
        token: LegacyToken(
            kind: .sessionToken, issuer: { _ in nil }, keys: .none, algorithms: [], takesSecretKey: true,
            tellsIssue: false,
            person: { (claims, _) throws(IdentityFailure) in
                guard claims["tid"]?.string != nil else { throw .rejected("it is no session token") }
                return LegacyPerson(legacyID: try claims["uid"].legacyID())
            }),
        knownKeys: [
            "defaultencryptionkey", "defaultrefreshencryptionkey", "defaultsigningkey", "defaultkey", "defaulthttpkey",
        ])
}
