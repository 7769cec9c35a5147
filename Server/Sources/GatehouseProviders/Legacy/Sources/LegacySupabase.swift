import GatehouseJSON
import GatehouseWire

extension LegacyDescription {
    /// Supabase Auth: access tokens, whose audience is the same in every project, and whose secret key in old projects also signs the
    /// project's own keys.
    static let supabase = LegacyDescription(
        needs: [.project],
        token: LegacyToken(
            kind: .accessToken, issuer: supabaseIssuer, audience: { $0.audience ?? "authenticated" },
            keys: .at { "\(supabaseIssuer($0))/.well-known/jwks.json" }, algorithms: ["RS256", "ES256", "EdDSA"],
            takesSecretKey: true,
            otherKind: { claims, _ in
                guard let role = claims["role"]?.string, role != "authenticated" else { return nil }
                return "it is a key of the project, and no player's"
            },
            person: { (claims, _) throws(IdentityFailure) in
                guard claims["role"]?.string == "authenticated", claims["session_id"]?.string != nil else {
                    throw .rejected("it is a key of the project, and no player's")
                }
                var person = LegacyPerson(legacyID: try claims["sub"].legacyID())
                let told = claims["app_metadata"]
                let names = told?["providers"]?.strings ?? told?["provider"]?.strings ?? []
                person.identities = names.filter { $0 != "email" && $0 != "phone" }.map { .init(name: $0) }
                return person
            }),
        knownKeys: [
            "super-secret-jwt-token-with-at-least-32-characters-long",
            "your-super-secret-jwt-token-with-at-least-32-characters-long",
        ])

    @Sendable private static func supabaseIssuer(_ settings: LegacySettings) -> String {
        settings.issuer ?? "https://\(settings.project ?? "").supabase.co/auth/v1"
    }
}
