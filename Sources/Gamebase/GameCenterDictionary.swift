import Foundation
import GatehouseWire

/// What Game Center has signed for a player, as a dictionary: in the form of `fetchItems(forIdentityVerificationSignature:)`, or as
/// text.
enum GameCenterDictionary {
    /// Nil for a dictionary that lacks a part.
    static func proof(_ info: [String: Any]) -> GameCenterProof? {
        guard let url = url(info[kTCGBAuthLoginWithCredentialGameCenterPublicKeyURLKeyname] ?? info["publicKeyUrl"]),
            let signature = base64(info[kTCGBAuthLoginWithCredentialGameCenterSignatureKeyname]),
            let salt = base64(info[kTCGBAuthLoginWithCredentialGameCenterSaltKeyname]),
            let timestamp = number(info[kTCGBAuthLoginWithCredentialGameCenterTimestampKeyname]),
            let player = text(info[kTCGBAuthLoginWithCredentialGameCenterPlayerIDKeyname] ?? info["playerId"]),
            let bundle = text(info[kTCGBAuthLoginWithCredentialGameCenterBundleIDKeyname] ?? info["bundleId"])
                ?? Bundle.main.bundleIdentifier
        else { return nil }
        // A player's id in one game begins with A:, and the one in all of the team's games with T:.
        let kind = text(info["kind"]).map { GameCenterProof.Kind($0) } ?? (player.hasPrefix("A:") ? .game : .team)
        return GameCenterProof(
            publicKeyUrl: url, signature: signature, salt: salt, timestamp: timestamp, playerId: player, kind: kind,
            bundleId: bundle)
    }

    private static func text(_ value: Any?) -> String? {
        guard let text = value as? String, !text.isEmpty else { return nil }
        return text
    }

    private static func url(_ value: Any?) -> String? { (value as? URL)?.absoluteString ?? text(value) }

    private static func base64(_ value: Any?) -> String? {
        guard let data = value as? Data else { return text(value) }
        return data.isEmpty ? nil : data.base64EncodedString()
    }

    private static func number(_ value: Any?) -> UInt64? {
        switch value {
        case let value as UInt64: value
        case let value as Int: UInt64(exactly: value)
        case let value as Int64: UInt64(exactly: value)
        case let value as NSNumber: UInt64(exactly: value)
        case let value as String: UInt64(value)
        default: nil
        }
    }
}
