import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What a title screen needs to know about a member, in one value.
enum StandingRules {
    /// The standing of a logged-in member.
    static func standing(of member: Member, status: LaunchingStatus, _ context: CallContext) -> Standing {
        var standing = standing(status: status, member: member.status, context)
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
            standing.message = context.text(text(of: .withdrawalPending))
            standing.actions = [.play, .cancelWithdrawal]
        } else if member.mappings.contains(where: { $0.provider == .guest }) {
            standing.actions.append(.secureGuest)
        }
        return standing
    }

    static func standing(ofBanned ban: Ban, status: LaunchingStatus, _ context: CallContext) -> Standing {
        Standing(
            isPlayable: false, reason: .banned, untilDate: ban.endDate, launchingStatus: status, memberStatus: .banned,
            message: ban.message, actions: ban.endDate == nil ? [.contactSupport] : [.wait, .contactSupport])
    }

    /// The app's part of the standing.
    static func standing(status: LaunchingStatus, member: MemberStatus, _ context: CallContext) -> Standing {
        let (reason, actions): (StandingReason, [StandingAction]) =
            switch status {
            case .requireUpdate: (.updateRequired, [.update])
            case .terminated: (.terminated, [])
            case .maintenance, .maintenanceOfAllServices: (.maintenance, [.wait])
            case .recommendUpdate: (.updateRecommended, [.play, .update])
            default: status.isPlayable ? (.good, [.play]) : (.notInService, [.wait])
            }
        let until = reason == .maintenance ? context.app.openMaintenance(at: context.moment)?.end : nil
        return Standing(
            isPlayable: status.isPlayable, reason: reason, untilDate: until?.milliseconds, launchingStatus: status,
            memberStatus: member, message: LaunchingRules.message(context) ?? context.text(text(of: reason)),
            actions: actions, updateURL: LaunchingRules.decidingRule(context)?.updateURL)
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

    /// The app's status for the client that asks, with a device, at one moment. A maintenance window counts only while it is open; a
    /// terminated app and a client that must be updated stay so during maintenance (Gamebase: "Update Required wins over maintenance").
    static func status(_ context: CallContext, device: KeyThumbprint?, in tx: Reader) throws -> LaunchingStatus {
        let status = statusForEveryone(context)
        guard !status.isPlayable, let device, try AppQueries.isTestDevice(device, app: context.app.id, in: tx) else {
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
        _ context: CallContext, device: KeyThumbprint?, in database: Database
    ) async throws -> LaunchingStatus {
        let status = statusForEveryone(context)
        guard !status.isPlayable else { return status }
        return try await database.read { tx in try self.status(context, device: device, in: tx) }
    }

    /// The status of every device with the client that asks, unless it is a test device.
    static func statusForEveryone(_ context: CallContext) -> LaunchingStatus { decision(context).status }

    /// The rule that gives the client that asks its status, text and address; nil if the app itself does.
    static func decidingRule(_ context: CallContext) -> ClientRule? { decision(context).rule }

    /// A client's rule replaces the app's status. It opens neither an app that has been terminated nor one under maintenance, because
    /// both are for everyone.
    private static func decision(_ context: CallContext) -> (status: LaunchingStatus, rule: ClientRule?) {
        let app = context.app
        guard let rule = context.clientRule, app.status != .terminated else {
            return (app.currentStatus(at: context.moment), nil)
        }
        guard rule.status.isPlayable else { return (rule.status, rule) }
        if app.status == .maintenance || app.status == .maintenanceOfAllServices { return (app.status, nil) }
        return app.openMaintenance(at: context.moment) == nil ? (rule.status, rule) : (.maintenance, nil)
    }

    /// Refuses with 3701 unless the app is in service or the device is a test device.
    static func requirePlayable(
        device: KeyThumbprint, _ context: CallContext, in tx: Reader
    ) throws -> LaunchingStatus {
        let status = try status(context, device: device, in: tx)
        guard !status.isPlayable else { return status }
        let standing = StandingRules.standing(status: status, member: .normal, context)
        throw Refusal(
            .authNotPlayable, standing.message ?? "The app is not in service: \(status.name).",
            details: ErrorDetails(launchingStatus: status, maintenance: maintenance(context), standing: standing))
    }

    /// What the player should read now: the text of the rule that decides, of the current maintenance, or of a status that has one.
    static func message(_ context: CallContext) -> String? {
        if let rule = decidingRule(context) { return context.text(rule.message) }
        if let window = context.app.openMaintenance(at: context.moment), let text = window.text(context) {
            return text
        }
        return context.text(context.app.statusMessage)
    }

    /// The current or announced maintenance.
    static func maintenance(_ context: CallContext) -> Maintenance? {
        guard let window = context.app.maintenance, context.moment < window.end else { return nil }
        return Maintenance(
            beginDate: window.begin.milliseconds, endDate: window.end.milliseconds, message: window.text(context),
            url: window.url, reason: window.reason)
    }
}

extension App.MaintenanceWindow {
    /// Its text for players. `{begin}` and `{end}` become its times in the app's zone, which is that of its players.
    fileprivate func text(_ context: CallContext) -> String? {
        guard let text = context.text(message) else { return nil }
        guard text.utf8.contains(UInt8(ascii: "{")) else { return text }
        let zone = context.app.policy.timeZone.flatMap { Zone(named: $0) } ?? .universal
        return [("{begin}", begin), ("{end}", end)].reduce(text) { text, time in
            text.substituting(time.0, by: zone.time(at: time.1.milliseconds.floorDivided(by: 1_000)))
        }
    }
}
