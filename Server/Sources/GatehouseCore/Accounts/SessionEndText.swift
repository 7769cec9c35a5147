import GatehouseWire

/// The message to players whose session was ended by something other than their logout (BAN-6, TRANSFER-7).
enum SessionEndText {
    /// A message in the player's language: the operator's text for this end, or the default text for its reason. Nil if there is
    /// nothing to show.
    package static func message(_ reason: ErrorReason, written: LocalizedText?, _ view: Viewpoint) -> String? {
        view.text(written) ?? view.text(standard(reason))
    }

    private static func standard(_ reason: ErrorReason) -> LocalizedText? {
        switch reason {
        case .transferred:
            LocalizedText([
                "en": "The transfer is complete: your account has moved to another device.",
                "ko": "이전이 완료되었습니다. 계정이 다른 기기로 옮겨졌습니다.",
                "ja": "引き継ぎが完了しました。アカウントは別の端末に移行されました。",
            ])
        case .kickedOut:
            LocalizedText([
                "en": "You have been logged out by the operator. Please log in again.",
                "ko": "운영자에 의해 로그아웃되었습니다. 다시 로그인해 주세요.",
                "ja": "運営によりログアウトされました。もう一度ログインしてください。",
            ])
        case .endedElsewhere:
            LocalizedText([
                "en": "You have logged this device out on another one. Please log in again.",
                "ko": "다른 기기에서 이 기기를 로그아웃했습니다. 다시 로그인해 주세요.",
                "ja": "別の端末からこの端末がログアウトされました。もう一度ログインしてください。",
            ])
        case .identityRemoved:
            LocalizedText([
                "en": "Your way to log in no longer leads to this account. Please log in again.",
                "ko": "사용하시던 로그인 방법이 더 이상 이 계정에 연결되어 있지 않습니다. 다시 로그인해 주세요.",
                "ja": "ご利用のログイン方法は、このアカウントに連携されていません。もう一度ログインしてください。",
            ])
        case .withdrawn:
            LocalizedText([
                "en": "This account has been deleted.", "ko": "이 계정은 삭제되었습니다.", "ja": "このアカウントは削除されました。",
            ])
        default: nil
        }
    }
}
