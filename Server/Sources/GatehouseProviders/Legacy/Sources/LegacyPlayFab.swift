import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

extension LegacyDescription {
    /// PlayFab: session tickets and entity tokens, which only it can check. Its Server API takes the title's secret key; entity tokens are
    /// checked with the title's own entity token, which that key brings.
    static let playFab = LegacyDescription(
        needs: [.project],
        calls: [
            .sessionTicket: LegacyCall(
                request: { credential, settings, key in
                    request(
                        "Server/AuthenticateSessionTicket", settings, ["X-SecretKey": key.secretValue],
                        ["SessionTicket": credential.value.secretValue])
                },
                person: { (status, answer) throws(IdentityFailure) in
                    let data = try data(status, answer)
                    guard data["IsSessionTicketExpired"] != .bool(true) else { throw .expired }
                    return LegacyPerson(legacyID: try (data["UserInfo"]?["PlayFabId"]).legacyID())
                }),
            .entityToken: LegacyCall(
                request: { credential, settings, key in
                    request(
                        "Authentication/ValidateEntityToken", settings, ["X-EntityToken": key.secretValue],
                        ["EntityToken": credential.value.secretValue])
                },
                person: { (status, answer) throws(IdentityFailure) in
                    let data = try data(status, answer)
                    // Titles, characters and groups have entity tokens, too.
                    guard ["title_player_account", "master_player_account"].contains(data["Entity"]?["Type"]?.string)
                    else { throw .rejected("it is no player's") }
                    return LegacyPerson(legacyID: try (data["Lineage"]?["MasterPlayerAccountId"]).legacyID())
                },
                before: LegacyKeyCall(
                    request: { settings, key in
                        request("Authentication/GetEntityToken", settings, ["X-SecretKey": key.secretValue], [:])
                    },
                    key: { (answer) throws(IdentityFailure) in
                        guard let code = answer["code"]?.integer else { throw .unavailable }
                        guard code == 200, let token = answer["data"]?["EntityToken"]?.string else {
                            throw .misconfigured("the old system refuses the source's key")
                        }
                        return ProviderToken(token)
                    })),
        ])

    @Sendable private static func request(
        _ call: String, _ settings: LegacySettings, _ headers: [String: String], _ body: [String: String]
    ) -> OutgoingRequest {
        let origin = settings.issuer ?? "https://\(settings.project ?? "").playfabapi.com"
        let headers = headers.merging(["Content-Type": "application/json"]) { first, _ in first }
        return OutgoingRequest(
            method: "POST", url: "\(origin)/\(call)", headers: headers, body: try? JSONEncoder().encode(body))
    }

    /// What a good answer says.
    @Sendable private static func data(
        _ status: Int, _ answer: StrictJSON.Value
    ) throws(IdentityFailure) -> StrictJSON.Value {
        guard let code = answer["code"]?.integer else { throw .unavailable }
        guard code == 200 else { throw status >= 500 ? .unavailable : .rejected("the old system refuses it") }
        return answer["data"] ?? .null
    }
}
