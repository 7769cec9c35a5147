public import GatehouseWire

/// The kinds of identity providers. A provider's name in an app may differ from its kind: `studio-id` may be of kind `openid`.
public enum ProviderKind: String, Codable, Sendable, Hashable, CaseIterable {
    /// Any OpenID Connect provider, identified by its issuer.
    case openID = "openid"
    case google, facebook, line, naver, kakao, twitter, weibo, payco
    case apple
    case gameCenter = "gamecenter"
    /// A provider with its own calls, which the operator describes.
    case partner

    /// The default kind of a provider with this name.
    public init(standardFor provider: Provider) {
        switch provider {
        case .apple: self = .apple
        case .gameCenter: self = .gameCenter
        case .kakaoGame, .hangame: self = .partner
        default: self = ProviderKind(rawValue: provider.rawValue) ?? .openID
        }
    }

    /// The description of each kind. `docs/providers.md` names the sources.
    var description: ProviderDescription {
        var description = plainDescription
        description.additionalInfo = additionalInfo
        return description
    }

    private var plainDescription: ProviderDescription {
        switch self {
        case .openID:
            ProviderDescription(
                openID: OpenIDDescription(issuers: []),
                authorization: AuthorizationDescription(
                    scopes: ["openid", "profile"], required: ["openid"], knownScopes: ["openid", "profile", "email"],
                    // OpenID Connect Core section 3.1.2.1.
                    reauthentication: ["prompt": "login"], authentication: nil, needsSecret: false))
        case .google: Self.googleDescription
        case .apple: Self.appleDescription
        case .gameCenter: ProviderDescription(isGameCenter: true)
        case .facebook: Self.facebookDescription
        case .line: Self.lineDescription
        case .naver: Self.naverDescription
        case .kakao: Self.kakaoDescription
        case .twitter: Self.twitterDescription
        case .weibo: Self.weiboDescription
        case .payco: Self.paycoDescription
        case .partner: ProviderDescription()
        }
    }

    private static let bearer = ["Authorization": "Bearer {token}"]

    private static let googleDescription = ProviderDescription(
        openID: OpenIDDescription(
            issuers: ["https://accounts.google.com", "accounts.google.com"],
            keysURL: "https://www.googleapis.com/oauth2/v3/certs"),
        checks: [
            ProviderCheck(
                ProviderCall("https://oauth2.googleapis.com/tokeninfo", query: ["access_token": "{token}"]),
                subject: "sub", audience: "aud", secondsLeft: ["expires_in"], profile: "")
        ],
        authorization: AuthorizationDescription(
            url: "https://accounts.google.com/o/oauth2/v2/auth", tokenURL: "https://oauth2.googleapis.com/token",
            scopes: ["openid", "profile"], required: ["openid"],
            knownScopes: ["email", "https://www.googleapis.com/auth/games_lite"],
            // A refresh token is the only one that can be revoked weeks later.
            parameters: ["access_type": "offline"], reauthentication: ["prompt": "select_account"],
            asksForPassword: false),
        revocation: [ProviderCall("POST", "https://oauth2.googleapis.com/revoke", form: ["token": "{anyToken}"])])

    private static let appleDescription = ProviderDescription(
        openID: OpenIDDescription(
            issuers: ["https://appleid.apple.com", "https://account.apple.com"],
            keysURL: "https://appleid.apple.com/auth/keys"),
        authorization: AuthorizationDescription(
            url: "https://appleid.apple.com/auth/authorize", tokenURL: "https://appleid.apple.com/auth/token",
            scopes: ["name"], knownScopes: ["email"], parameters: ["response_mode": "form_post"], usesPKCE: false,
            signsSecretWithTeamKey: true),
        revocation: [
            ProviderCall(
                "POST", "https://appleid.apple.com/auth/revoke",
                form: ["token": "{anyToken}", "token_type_hint": "{anyTokenKind}"]
            ).authenticated
        ])

    private static let facebookDescription = ProviderDescription(
        openID: OpenIDDescription(
            issuers: ["https://www.facebook.com", "https://facebook.com"],
            keysURL: "https://limited.facebook.com/.well-known/oauth/openid/jwks/"),
        checks: [
            ProviderCheck(
                ProviderCall(
                    "https://graph.facebook.com/v19.0/debug_token",
                    query: ["input_token": "{token}", "access_token": "{clientId}|{clientSecret}"],
                    success: ["data.is_valid": "true"]),
                subject: "data.user_id", audience: "data.app_id", expiresAt: "data.expires_at"),
            ProviderCheck(
                ProviderCall(
                    "https://graph.facebook.com/v19.0/me",
                    query: ["fields": "id,name", "access_token": "{token}", "appsecret_proof": "{appSecretProof}"]),
                subject: "id", profile: ""),
        ],
        authorization: AuthorizationDescription(
            url: "https://www.facebook.com/v19.0/dialog/oauth",
            tokenURL: "https://graph.facebook.com/v19.0/oauth/access_token", scopes: ["public_profile"],
            required: ["public_profile"],
            scopeSeparator: ",",
            knownScopes: ["email", "user_friends", "gaming_profile", "gaming_user_picture"],
            reauthentication: ["auth_type": "reauthenticate"]),
        revocation: [
            ProviderCall(
                "DELETE", "https://graph.facebook.com/v19.0/{subject}/permissions",
                query: ["access_token": "{token}", "appsecret_proof": "{appSecretProof}"], success: ["success": "true"])
        ])

    private static let lineDescription = ProviderDescription(
        openID: OpenIDDescription(
            issuers: ["https://access.line.me"], keysURL: "https://api.line.me/oauth2/v2.1/certs",
            algorithms: ["ES256"], signsWebTokensWithSecret: true),
        checks: [
            ProviderCheck(
                ProviderCall("https://api.line.me/oauth2/v2.1/verify", query: ["access_token": "{token}"]),
                audience: "client_id", secondsLeft: ["expires_in"]),
            ProviderCheck(
                ProviderCall("https://api.line.me/v2/profile", headers: bearer), subject: "userId", profile: ""),
        ],
        authorization: AuthorizationDescription(
            url: "https://access.line.me/oauth2/v2.1/authorize", tokenURL: "https://api.line.me/oauth2/v2.1/token",
            scopes: ["openid", "profile"], required: ["openid"], knownScopes: ["email"],
            reauthentication: ["disable_auto_login": "true"]),
        revocation: [
            // Deauthorising requires a token of the channel, which is valid for minutes.
            ProviderCall(
                "POST", "https://api.line.me/oauth2/v3/token",
                form: [
                    "grant_type": "client_credentials", "client_id": "{clientId}", "client_secret": "{clientSecret}",
                ], captures: ["channelToken": "access_token"]),
            ProviderCall(
                "POST", "https://api.line.me/user/v1/deauthorize", headers: ["Authorization": "Bearer {channelToken}"],
                json: ["userAccessToken": "{token}"]),
        ])

    private static let naverDescription = ProviderDescription(
        checks: [
            ProviderCheck(
                ProviderCall("https://openapi.naver.com/v1/nid/me", headers: bearer, success: ["resultcode": "00"]),
                subject: "response.id", profile: "response")
        ],
        authorization: AuthorizationDescription(
            url: "https://nid.naver.com/oauth2.0/authorize", tokenURL: "https://nid.naver.com/oauth2.0/token",
            scopes: [], reauthentication: ["auth_type": "reauthenticate"], usesPKCE: false, sendsState: true),
        revocation: [
            // Deleting requires a valid token, so the refresh token is exchanged for a new one.
            ProviderCall(
                "POST", "https://nid.naver.com/oauth2.0/token",
                form: [
                    "grant_type": "refresh_token", "client_id": "{clientId}", "client_secret": "{clientSecret}",
                    "refresh_token": "{refreshToken}",
                ], captures: ["token": "access_token"]),
            ProviderCall(
                "POST", "https://nid.naver.com/oauth2.0/token",
                form: [
                    "grant_type": "delete", "client_id": "{clientId}", "client_secret": "{clientSecret}",
                    "access_token": "{token}", "service_provider": "NAVER",
                ], success: ["result": "success"]),
        ])

    private static let kakaoDescription = ProviderDescription(
        openID: OpenIDDescription(
            issuers: ["https://kauth.kakao.com"], keysURL: "https://kauth.kakao.com/.well-known/jwks.json"),
        checks: [
            ProviderCheck(
                ProviderCall("https://kapi.kakao.com/v1/user/access_token_info", headers: bearer), subject: "id",
                subjectIsNumber: true, audience: "app_id", secondsLeft: ["expires_in"]),
            ProviderCheck(
                ProviderCall("https://kapi.kakao.com/v2/user/me", headers: bearer), subject: "id",
                subjectIsNumber: true, profile: "kakao_account"),
        ],
        authorization: AuthorizationDescription(
            url: "https://kauth.kakao.com/oauth/authorize", tokenURL: "https://kauth.kakao.com/oauth/token",
            scopes: ["openid"], required: ["openid"],
            knownScopes: ["profile_nickname", "profile_image", "account_email"],
            reauthentication: ["prompt": "login"], needsSecret: false),
        revocation: [
            ProviderCall(
                "POST", "https://kapi.kakao.com/v1/user/unlink", headers: ["Authorization": "KakaoAK {adminKey}"],
                form: ["target_id_type": "user_id", "target_id": "{subject}"])
        ])

    private static let twitterDescription = ProviderDescription(
        checks: [
            ProviderCheck(
                ProviderCall("https://api.x.com/2/users/me", headers: bearer), subject: "data.id", profile: "data")
        ],
        authorization: AuthorizationDescription(
            url: "https://x.com/i/oauth2/authorize", tokenURL: "https://api.x.com/2/oauth2/token",
            scopes: ["tweet.read", "users.read", "offline.access"], required: ["tweet.read", "users.read"],
            knownScopes: ["users.email"],
            authentication: .secretBasic, needsSecret: false),
        revocation: [
            ProviderCall("POST", "https://api.x.com/2/oauth2/revoke", form: ["token": "{anyToken}"]).authenticated
        ])

    private static let weiboDescription = ProviderDescription(
        checks: [
            ProviderCheck(
                ProviderCall(
                    "POST", "https://api.weibo.com/oauth2/get_token_info", form: ["access_token": "{token}"],
                    captures: ["uid": "uid"]),
                subject: "uid", subjectIsNumber: true, audience: "appkey", secondsLeft: ["expire_in", "expires_in"]),
            ProviderCheck(
                ProviderCall(
                    "https://api.weibo.com/2/users/show.json", query: ["access_token": "{token}", "uid": "{uid}"]),
                subject: "idstr", profile: ""),
        ],
        authorization: AuthorizationDescription(
            url: "https://api.weibo.com/oauth2/authorize", tokenURL: "https://api.weibo.com/oauth2/access_token",
            scopes: [], scopeSeparator: ",", knownScopes: ["email"], reauthentication: ["forcelogin": "true"],
            usesPKCE: false),
        revocation: [
            ProviderCall(
                "POST", "https://api.weibo.com/oauth2/revokeoauth2", form: ["access_token": "{token}"],
                success: ["result": "true"])
        ])

    private static let paycoDescription = ProviderDescription(
        checks: [
            ProviderCheck(
                ProviderCall(
                    "POST", "https://apis-payco.krp.toastoven.net/payco/friends/find_member_v2.json",
                    headers: ["client_id": "{clientId}", "access_token": "{token}"],
                    success: ["header.isSuccessful": "true"]),
                subject: "data.member.idNo", profile: "data.member")
        ],
        authorization: AuthorizationDescription(
            url: "https://id.payco.com/oauth2.0/authorize", tokenURL: "https://id.payco.com/oauth2.0/token", scopes: [],
            parameters: ["serviceProviderCode": "FRIENDS", "userLocale": "ko_KR"], usesPKCE: false))
}
