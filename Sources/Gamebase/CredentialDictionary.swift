import Foundation
import GatehouseWire

/// A credential as a game passes it: a dictionary with Gamebase's keys.
enum CredentialDictionary {
    /// Nil for a dictionary without the provider or without what the provider issued.
    static func credential(_ info: [String: Any]) -> Credential? {
        func text(_ key: String) -> String? {
            guard let text = info[key] as? String, !text.isEmpty else { return nil }
            return text
        }
        guard let name = text(kTCGBAuthLoginWithCredentialProviderNameKeyname) else { return nil }
        let provider = Provider(name)
        let token = text(kTCGBAuthLoginWithCredentialAccessTokenKeyname)
        let code = text(kTCGBAuthLoginWithCredentialAuthorizationCodeKeyname)
        let proof =
            GameCenterDictionary.proof(info)
            ?? (info[kTCGBAuthLoginWithCredentialAuthExtraKeyname] as? [String: Any]).flatMap(
                GameCenterDictionary.proof)
        guard provider == .guest || token != nil || code != nil || proof != nil else { return nil }
        var credential = token.map { self.credential(provider, token: $0) } ?? Credential(provider: provider)
        credential.authorizationCode = code.map { ProviderToken($0) }
        credential.codeVerifier = text(kTCGBAuthLoginWithCredentialCodeVerifierKeyname).map { ProviderToken($0) }
        credential.redirectUri = text(kTCGBAuthLoginWithCredentialRedirectURIKeyname)
        credential.region = text(kTCGBAuthLoginWithCredentialLineChannelRegionKeyname)
        credential.gameCenter = proof
        return credential
    }

    static func ignoresCurrentLogin(_ info: [String: Any]?) -> Bool {
        switch info?[kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname] {
        case let value as Bool: value
        case let value as NSNumber: value.boolValue
        default: false
        }
    }

    /// Gamebase has one key for both kinds of token: a token of three parts whose first is a JSON object with an algorithm is an ID
    /// token.
    static func credential(_ provider: Provider, token: String) -> Credential {
        guard isJWT(token) else { return Credential(provider: provider, accessToken: ProviderToken(token)) }
        return Credential(provider: provider, idToken: ProviderToken(token))
    }

    private static func isJWT(_ token: String) -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[0])) else { return false }
        return (try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)))?.objectValue?["alg"] != nil
    }
}
