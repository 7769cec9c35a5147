import Crypto
public import GatehouseWire

extension FakeProviders {
    /// An app's settings for a provider, in the format of `gatehouse idp set --file`.
    public func configuration(of provider: Provider) -> JSONValue {
        var members: [String: JSONValue] = [
            "origin": .string(origin), "clientIds": [.string(clientID(of: provider))],
            // A game without a provider's library finds the fake world with this.
            "additionalInfo": ["fakeWorld": .string(origin)],
        ]
        switch provider {
        case .apple: members["kind"] = "apple"
        case .gameCenter:
            members["kind"] = "gamecenter"
            members["trustedCertificates"] = [.string(gameCenter.root)]
        case .kakao:
            members["kind"] = "kakao"
            members["clientIds"] = [.string(clientID(of: provider)), .string(Self.kakaoAppID)]
        case .line:
            members["kind"] = "line"
            members["regions"] = .object(
                Dictionary(
                    uniqueKeysWithValues: ["japan", "thailand", "taiwan", "indonesia"].map { region in
                        (region, ["clientIds": [.string("\(clientID(of: provider))-\(region)")]])
                    }))
        case .kakaoGame, .hangame:
            members["kind"] = "partner"
            members["authorizationURL"] = .string("https://partner.\(provider).example/authorize")
            members["tokenURL"] = .string("https://partner.\(provider).example/token")
            members["reauthentication"] = ["prompt": "login"]
            members["checks"] = [
                [
                    "call": [
                        "method": "POST", "url": .string("https://partner.\(provider).example/introspect"),
                        "headers": ["X-Api-Key": "{apiKey}"], "form": ["token": "{token}"],
                        "success": ["result.ok": "true"],
                    ],
                    "subject": "result.user.no", "audience": "result.client", "profile": "result.user",
                ]
            ]
        case .studio:
            members["kind"] = "openid"
            members["issuer"] = .string(issuer(of: provider))
        default: members["kind"] = .string(provider.rawValue)
        }
        return .object(members)
    }

    /// The secret settings.
    public func secrets(of provider: Provider) -> JSONValue {
        switch provider {
        case .apple:
            [
                "appleKey": [
                    "teamId": "FAKETEAM01", "keyId": "FAKEKEY001",
                    "privateKey": .string(appleTeamKey.pemRepresentation),
                ]
            ]
        case .gameCenter: [:]
        case .kakao: ["clientSecret": .string(clientSecret(of: provider)), "adminKey": .string(adminKey)]
        case .kakaoGame, .hangame:
            [
                "clientSecret": .string(clientSecret(of: provider)),
                "values": ["apiKey": .string(clientSecret(of: provider))],
            ]
        case .line:
            [
                "clientSecret": .string(clientSecret(of: provider)),
                "regions": .object(
                    Dictionary(
                        uniqueKeysWithValues: ["japan", "thailand", "taiwan", "indonesia"].map {
                            ($0, .string(clientSecret(of: provider)))
                        })),
            ]
        default: ["clientSecret": .string(clientSecret(of: provider))]
        }
    }
}
