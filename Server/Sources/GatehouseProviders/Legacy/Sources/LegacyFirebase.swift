import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

extension LegacyDescription {
    /// Firebase Authentication: ID tokens, whose keys all projects share, and refresh tokens, if the source has a web API key.
    static let firebase = LegacyDescription(
        needs: [.project],
        token: LegacyToken(
            kind: .idToken, issuer: { "https://securetoken.google.com/\($0.project ?? "")" }, audience: { $0.project },
            keys: .at { _ in
                "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
            },
            otherKind: { claims, _ in
                if claims["iss"]?.string?.begins(with: "https://session.firebase.google.com/") ?? false {
                    return "it is a session cookie, and no ID token"
                }
                guard claims["aud"]?.string?.begins(with: "https://identitytoolkit.googleapis.com/") ?? false else {
                    return nil
                }
                return "it is a custom token, and no ID token"
            },
            person: { (claims, settings) throws(IdentityFailure) in
                let firebase = claims["firebase"]
                guard firebase?["tenant"]?.string == settings.tenant else {
                    throw .rejected("it is of another tenant")
                }
                guard claims["auth_time"]?.seconds != nil else {
                    throw .rejected("it doesn't say when it was signed in")
                }
                var person = LegacyPerson(legacyID: try claims["sub"].legacyID(atMost: 128))
                // After a link, a client goes on saying that it is anonymous, but its identities are those of the record.
                for name in firebase?["identities"]?.names ?? [] where name != "email" && name != "phone" {
                    guard let subjects = firebase?["identities"]?[name]?.strings else { continue }
                    person.identities += subjects.map { .init(name: name, subject: $0) }
                }
                if person.identities.isEmpty, let name = firebase?["sign_in_provider"]?.string,
                    !["anonymous", "password", "phone", "custom"].contains(name)
                {
                    person.identities = [.init(name: name)]
                }
                return person
            }),
        tokenCalls: [
            .refreshToken: LegacyTokenCall(
                request: { credential, key in
                    let body = "grant_type=refresh_token&refresh_token=\(credential.value.secretValue.percentEncoded)"
                    return OutgoingRequest(
                        method: "POST", url: "https://securetoken.googleapis.com/v1/token",
                        headers: [
                            "X-Goog-Api-Key": key.secretValue, "Content-Type": "application/x-www-form-urlencoded",
                        ], body: Data(body.utf8))
                },
                token: { (answer) throws(IdentityFailure) in
                    if let token = answer["id_token"]?.string { return ProviderToken(token) }
                    guard let message = answer["error"]?["message"]?.string else { throw .unavailable }
                    if message.begins(with: "TOKEN_EXPIRED") { throw .expired }
                    // "API key not valid. Please pass a valid API key."
                    if message.begins(with: "API") { throw .misconfigured("the old system refuses the source's key") }
                    throw .rejected("the old system refuses it")
                })
        ])
}
