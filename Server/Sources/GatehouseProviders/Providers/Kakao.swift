import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

extension ProviderKind {
    /// Kakao Login. `kakaogame` is another provider: the partners' variant.
    public static let kakao = ProviderKind(
        "kakao", names: [ProviderName(.kakao)],
        ProviderDescription(
            openID: OpenIDDescription(
                issuers: ["https://kauth.kakao.com"], keysURL: "https://kauth.kakao.com/.well-known/jwks.json"),
            checks: [
                ProviderCheck(
                    ProviderCall("https://kapi.kakao.com/v1/user/access_token_info", headers: ProviderCall.bearer),
                    subject: "id",
                    subjectIsNumber: true, audience: "app_id", secondsLeft: ["expires_in"]),
                ProviderCheck(
                    ProviderCall("https://kapi.kakao.com/v2/user/me", headers: ProviderCall.bearer), subject: "id",
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
            ],
            additionalInfo: .scopes,
            reports: ProviderReports(read: report)))

    /// Parses a form with the admin key in a header.
    @Sendable private static func report(
        _ message: SignalReader.Message, to reader: SignalReader, at moment: Moment
    ) throws -> ProviderSignal? {
        guard let key = reader.client.secrets.adminKey,
            ConstantTime.isEqual(
                Array((message.authorization ?? "").utf8), Array("KakaoAK \(key.secretValue)".utf8))
        else { throw IdentityFailure.rejected("it does not show the admin key") }
        guard let form = message.body.isEmpty ? Form.parse(message.query) : Form.parse(message.body),
            let app = form["app_id"], reader.client.clientIds.contains(app)
        else {
            throw IdentityFailure.audienceMismatch
        }
        let type = form["referrer_type"] ?? ""
        guard type != "INCOMPLETE_SIGN_UP" else { return nil }
        let subject = try OpenIDVerifier.subject(form["user_id"].map { .string($0) })
        // Reports have no id, so reports of the same kind within an hour count as the same.
        return ProviderSignal(
            identity: reader.client.identity(subject),
            kind: type.ends(with: "ACCOUNT_DELETE") ? .accountDeleted : .consentRevoked,
            id: "\(subject) \(type) \(moment.milliseconds / 3_600_000)")
    }
}
