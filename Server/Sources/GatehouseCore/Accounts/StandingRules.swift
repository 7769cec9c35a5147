import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What a title screen needs to know about a member, in one value.
enum StandingRules {
    /// The standing of a logged-in member.
    static func standing(of member: Member, status: LaunchingStatus, _ view: Viewpoint) -> Standing {
        var standing = standing(status: status, member: member.status, view)
        let revoked = member.mappings.filter { $0.revokedDate != nil }.map(\.provider)
        standing.revokedProviders = revoked.isEmpty ? nil : revoked
        guard standing.isPlayable else { return standing }
        if let graceBan = member.graceBan {
            standing.reason = .graceBanned
            standing.untilDate = graceBan.gracePeriodDate
            standing.message = graceBan.message
            standing.actions = [.play, .settleGraceBan, .contactSupport]
        } else if let withdrawal = member.temporaryWithdrawal {
            standing.reason = .withdrawalPending
            standing.untilDate = withdrawal.gracePeriodDate
            standing.message = view.text(text(of: .withdrawalPending))
            standing.actions = [.play, .cancelWithdrawal]
        } else if member.mappings.contains(where: { $0.provider == .guest }) {
            standing.actions.append(.secureGuest)
        }
        return standing
    }

    static func standing(ofBanned ban: Ban, status: LaunchingStatus, _ view: Viewpoint) -> Standing {
        Standing(
            isPlayable: false, reason: .banned, untilDate: ban.endDate, launchingStatus: status, memberStatus: .banned,
            message: ban.message, actions: ban.endDate == nil ? [.contactSupport] : [.wait, .contactSupport])
    }

    /// The app's part of the standing.
    static func standing(status: LaunchingStatus, member: MemberStatus, _ view: Viewpoint) -> Standing {
        let (reason, actions): (StandingReason, [StandingAction]) =
            switch status {
            case .requireUpdate: (.updateRequired, [.update])
            case .terminated: (.terminated, [])
            case .maintenance, .maintenanceOfAllServices: (.maintenance, [.wait])
            case .recommendUpdate: (.updateRecommended, [.play, .update])
            default: status.isPlayable ? (.good, [.play]) : (.notInService, [.wait])
            }
        let until = reason == .maintenance ? view.app.openMaintenance(at: view.moment)?.end : nil
        return Standing(
            isPlayable: status.isPlayable, reason: reason, untilDate: until?.milliseconds, launchingStatus: status,
            memberStatus: member, message: LaunchingRules.message(view) ?? view.text(text(of: reason)),
            actions: actions, updateURL: LaunchingRules.decidingRule(view)?.updateURL)
    }

    /// The default messages to players, used if the operator has written none.
    static func text(of reason: StandingReason) -> LocalizedText {
        switch reason {
        case .banned:
            LocalizedText([
                "en": "This account is banned.", "ko": "이용이 제한된 계정입니다.", "ja": "このアカウントは利用が制限されています。",
            ])
        case .withdrawalPending:
            LocalizedText([
                "en": "This account will be deleted. You can still cancel.",
                "ko": "탈퇴가 예약된 계정입니다. 아직 취소할 수 있습니다.", "ja": "このアカウントは削除される予定です。まだ取り消せます。",
            ])
        case .maintenance:
            LocalizedText(["en": "The game is under maintenance.", "ko": "점검 중입니다.", "ja": "メンテナンス中です。"])
        case .updateRequired:
            LocalizedText([
                "en": "Please update the game.", "ko": "게임을 업데이트해 주세요.", "ja": "ゲームをアップデートしてください。",
            ])
        case .terminated:
            LocalizedText([
                "en": "The service has ended.", "ko": "서비스가 종료되었습니다.", "ja": "サービスは終了しました。",
            ])
        default: LocalizedText()
        }
    }
}
