import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

extension LegacyDescription {
    /// NHN Gamebase: access tokens and transfer accounts, which only its Server API can check, with the app's secret key.
    static let gamebase = LegacyDescription(
        needs: [.project],
        calls: [
            .accessToken: LegacyCall(
                request: { credential, settings, key in
                    let parts = [settings.project, credential.id, credential.value.secretValue].compactMap(segment)
                    guard parts.count == 3 else { return nil }
                    let path = "apps/\(parts[0])/members/\(parts[1])/tokens/\(parts[2])"
                    return OutgoingRequest(
                        method: "GET", url: "\(gamebaseOrigin(settings))/tcgb-gateway/v1.3/\(path)",
                        headers: ["X-Secret-Key": key.secretValue, "Accept": "application/json"])
                }, person: gamebasePerson),
            .transferAccount: LegacyCall(
                request: { credential, settings, key in
                    guard let id = credential.id, let app = segment(settings.project),
                        let body = try? JSONEncoder().encode([
                            "account": ["id": id, "password": credential.value.secretValue]
                        ])
                    else { return nil }
                    let path = "apps/\(app)/members/transfer-account"
                    return OutgoingRequest(
                        method: "POST", url: "\(gamebaseOrigin(settings))/tcgb-gateway/v1.3/\(path)",
                        headers: ["X-Secret-Key": key.secretValue, "Content-Type": "application/json"], body: body)
                }, person: gamebasePerson, isBound: false),
        ])

    /// A text as one segment of a path; nil for one that a server would take for another place.
    @Sendable private static func segment(_ text: String?) -> String? {
        guard let text, (1...1_024).contains(text.utf8.count), text != ".", text != ".." else { return nil }
        return text.percentEncoded
    }

    @Sendable private static func gamebaseOrigin(_ settings: LegacySettings) -> String {
        settings.issuer ?? "https://api-gamebase.nhncloudservice.com"
    }

    @Sendable private static func gamebasePerson(
        _ status: Int, _ answer: StrictJSON.Value
    ) throws(IdentityFailure) -> LegacyPerson {
        guard let code = answer["header"]?["resultCode"]?.integer else { throw .unavailable }
        switch code {
        case 0: break
        case -4_010_208: throw .expired
        // The service itself fails.
        case _ where status >= 500: throw .unavailable
        default: throw .rejected("the old system refuses it")
        }
        let member = answer["member"] ?? .null
        var person = LegacyPerson(legacyID: try member["userId"].legacyID())
        if case .array(let identities)? = member["authList"] {
            person.identities = identities.compactMap { identity in
                identity["idPCode"]?.string.flatMap { $0 == "guest" ? nil : .init(name: $0) }
            }
        }
        return person
    }
}
