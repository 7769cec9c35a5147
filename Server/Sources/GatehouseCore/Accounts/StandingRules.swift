import Foundation
import GatehouseJSON
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
        let until = reason == .maintenance ? LaunchingRules.openMaintenance(of: view.app, at: view.moment)?.end : nil
        return Standing(
            isPlayable: status.isPlayable, reason: reason, untilDate: until?.milliseconds, launchingStatus: status,
            memberStatus: member, message: LaunchingRules.message(view) ?? view.text(text(of: reason)), actions: actions
        )
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

/// Whether an app is in service, and the message to its players (START-2, START-3).
enum LaunchingRules {
    static let heartbeatSeconds = 120

    /// The app's status for one device at one moment. A maintenance window counts only while it is open; a terminated app
    /// and one that requires an update stay so during maintenance (Gamebase: "Update Required wins over maintenance").
    static func status(
        of app: App, device: KeyThumbprint?, at moment: Moment, in tx: Reader
    ) throws -> LaunchingStatus {
        let status = statusForEveryone(of: app, at: moment)
        guard !status.isPlayable, let device, try AppQueries.isTestDevice(device, app: app.id, in: tx) else {
            return status
        }
        return statusForTestDevice(status)
    }

    /// What everyone's status is for a test device.
    static func statusForTestDevice(_ status: LaunchingStatus) -> LaunchingStatus {
        status.isPlayable ? status : .inServiceForTestDevices
    }

    /// The app's status outside of a transaction. If the app is in service, no query is needed.
    static func status(
        of app: App, device: KeyThumbprint?, at moment: Moment, in database: Database
    ) async throws -> LaunchingStatus {
        let status = statusForEveryone(of: app, at: moment)
        guard !status.isPlayable else { return status }
        return try await database.read { tx in try self.status(of: app, device: device, at: moment, in: tx) }
    }

    static func statusForEveryone(of app: App, at moment: Moment) -> LaunchingStatus {
        guard app.status.isPlayable else { return app.status }
        return openMaintenance(of: app, at: moment) == nil ? app.status : .maintenance
    }

    static func openMaintenance(of app: App, at moment: Moment) -> App.MaintenanceWindow? {
        guard let window = app.maintenance, window.begin <= moment, moment < window.end else { return nil }
        return window
    }

    /// Refuses with 3701 unless the app is in service or the device is a test device.
    static func requirePlayable(
        device: KeyThumbprint, _ view: Viewpoint, in tx: Reader
    ) throws -> LaunchingStatus {
        let status = try status(of: view.app, device: device, at: view.moment, in: tx)
        guard !status.isPlayable else { return status }
        let standing = StandingRules.standing(status: status, member: .normal, view)
        var details: [String: JSONValue] = [
            ErrorDetail.launchingStatus: .integer(Int64(status.rawValue)),
            ErrorDetail.standing: try JSONValue(encoding: standing),
        ]
        if let window = maintenance(view) { details[ErrorDetail.maintenance] = try JSONValue(encoding: window) }
        throw Refusal(
            .authNotPlayable, standing.message ?? "The app is not in service: \(status.name).", details: details)
    }

    /// What the player should read now: the text of the current maintenance, or of a status that has one.
    static func message(_ view: Viewpoint) -> String? {
        if let window = openMaintenance(of: view.app, at: view.moment), let text = view.text(window.message) {
            return text
        }
        return view.text(view.app.statusMessage)
    }

    /// The current or announced maintenance.
    static func maintenance(_ view: Viewpoint) -> Maintenance? {
        guard let window = view.app.maintenance, view.moment < window.end else { return nil }
        return Maintenance(
            beginDate: window.begin.milliseconds, endDate: window.end.milliseconds, message: view.text(window.message),
            url: window.url, reason: window.reason)
    }
}
