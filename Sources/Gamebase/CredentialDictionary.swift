import Foundation
import GatehouseWire

/// What a game gives for a credential: a dictionary with Gamebase's keys.
enum CredentialDictionary {
    /// Nil for one that lacks its provider, or what the provider issued.
    static func credential(_ info: [String: Any]) -> Credential? {
        func text(_ key: String) -> String? {
            guard let text = info[key] as? String, !text.isEmpty else { return nil }
            return text
        }
        guard let name = text(kTCGBAuthLoginWithCredentialProviderNameKeyname) else { return nil }
        let provider = Provider(name)
        let token = text(kTCGBAuthLoginWithCredentialAccessTokenKeyname)
        let code = text(kTCGBAuthLoginWithCredentialAuthorizationCodeKeyname)
        let proof = (info[kTCGBAuthLoginWithCredentialAuthExtraKeyname] as? [String: Any]).flatMap(gameCenter)
        guard provider == .guest || token != nil || code != nil || proof != nil else { return nil }
        var credential = token.map { self.credential(provider, token: $0) } ?? Credential(provider: provider)
        credential.authorizationCode = code.map { ProviderToken($0) }
        credential.codeVerifier = text(kTCGBAuthLoginWithCredentialCodeVerifierKeyname).map { ProviderToken($0) }
        credential.redirectUri = text(kTCGBAuthLoginWithCredentialRedirectURIKeyname)
        credential.region = text(kTCGBAuthLoginWithCredentialLineChannelRegionKeyname)
        credential.gameCenter = proof
        credential.ignoresCurrentLogin = ignoresCurrentLogin(info)
        return credential
    }

    static func ignoresCurrentLogin(_ info: [String: Any]?) -> Bool {
        switch info?[kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname] {
        case let value as Bool: value
        case let value as NSNumber: value.boolValue
        default: false
        }
    }

    /// Gamebase has one key for both: a token of three parts whose first is a JSON object with an algorithm is an ID token.
    static func credential(_ provider: Provider, token: String) -> Credential {
        guard isJWT(token) else { return Credential(provider: provider, accessToken: ProviderToken(token)) }
        return Credential(provider: provider, idToken: ProviderToken(token))
    }

    private static func isJWT(_ token: String) -> Bool { part(0, of: token)?["alg"] != nil }

    /// What the ID token of a credential says of the player: not verified here, and for the game's eyes only.
    static func claims(of credential: Credential) -> [String: JSONValue] {
        credential.idToken.flatMap { part(1, of: $0.secretValue) } ?? [:]
    }

    /// The header (0) or the claims (1) of a token of three parts.
    private static func part(_ index: Int, of token: String) -> [String: JSONValue]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[index])) else { return nil }
        return (try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)))?.objectValue
    }

    private static func gameCenter(_ extra: [String: Any]) -> GameCenterProof? {
        guard let value = JSONValue(foundation: extra), let data = try? JSONEncoder().encode(value) else { return nil }
        return try? JSONDecoder().decode(GameCenterProof.self, from: data)
    }
}
