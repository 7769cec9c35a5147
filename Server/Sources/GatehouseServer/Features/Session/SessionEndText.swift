import GatehouseWire

/// What players read when their session has ended by another's doing (BAN-6, TRANSFER-7).
enum SessionEndText {
    /// In the player's language: what an operator has written for this end, else the standard text of its reason. Nil where the game
    /// has nothing to show.
    static func message(_ reason: ErrorReason, written: LocalizedText?, _ view: Viewpoint) -> String? {
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
        default: nil
        }
    }
}
