import GatehouseWire

/// What ready answers have said so far, so that the next one continues it. It decides nothing: whether a call succeeds is the script's to
/// say.
struct ScriptedServer: Sendable {
    /// The server's time at the beginning of every test.
    static let beginDate: Int64 = 1_795_219_200_000
    /// Thirty days earlier, when every member has registered.
    static let registrationDate = beginDate - 2_592_000_000

    var app = AppID("")
    /// The server's time, in milliseconds since 1970.
    var now = beginDate
    var launching: LaunchingInformation?
    var member: Member?
    /// The identity provider of the last login.
    var provider = Provider.guest
    private var tokensIssued = 0

    /// The member that is known, or one as the server would have made it.
    func member(_ user: UserID? = nil) -> Member {
        if let member, user == nil || user == member.userId { return member }
        return Member(
            appId: app, userId: user ?? .scripted, status: .normal, registrationDate: Self.registrationDate,
            lastLoginDate: now, mappings: [])
    }

    mutating func change(_ change: (inout Member) -> Void) -> Member {
        var member = member()
        if member.mappings.isEmpty { map([provider], to: &member) }
        change(&member)
        self.member = member
        return member
    }

    func map(_ providers: [Provider], to member: inout Member) {
        let known = member.mappings
        member.mappings = providers.map { provider in
            known.first { $0.provider == provider }
                ?? Mapping(provider: provider, subject: "\(provider)-\(member.userId)", registrationDate: now)
        }
    }

    mutating func memberChange(_ change: (inout Member) -> Void) -> MemberChange {
        let member = self.change(change)
        return MemberChange(member: member, standing: standing(of: member), serverDate: now)
    }

    /// Changes the mappings. A guest's session goes on under its first provider, with another access token.
    mutating func changeMappings(_ change: ([Provider]) -> [Provider]) -> MappingChange {
        let server = self
        let member = self.change { member in
            server.map(change(member.mappings.map(\.provider)), to: &member)
        }
        let providers = member.mappings.map(\.provider)
        let continues = providers.contains(provider)
        if !continues, let first = providers.first { provider = first }
        return MappingChange(
            member: member, provider: provider, session: continues ? nil : tokens(isNew: false),
            standing: standing(of: member), serverDate: now)
    }

    /// Tokens with numbers, so that a test can tell them apart: `access-1`, `refresh-1`, `access-2`.
    mutating func tokens(isNew: Bool) -> SessionTokens {
        tokensIssued += 1
        return SessionTokens(
            accessToken: AccessToken("access-\(tokensIssued)"), accessTokenExpiryDate: now + 3_600_000,
            refreshToken: isNew ? RefreshToken("refresh-\(tokensIssued)") : nil,
            sessionExpiryDate: now + 2_592_000_000)
    }

    // MARK: Standing

    func standing(of member: Member) -> Standing {
        let status = launching?.status ?? .inService
        let (reason, actions): (StandingReason, [StandingAction]) =
            switch status {
            case .requireUpdate: (.updateRequired, [.update])
            case .terminated: (.terminated, [])
            case .maintenance, .maintenanceOfAllServices: (.maintenance, [.wait])
            case .recommendUpdate: (.updateRecommended, [.play, .update])
            default: status.isPlayable ? (.good, [.play]) : (.notInService, [.wait])
            }
        var standing = Standing(
            isPlayable: status.isPlayable, reason: reason, untilDate: nil, launchingStatus: status,
            memberStatus: member.status, message: launching?.message, actions: actions,
            updateURL: launching?.updateURL)
        if reason == .maintenance {
            standing.untilDate = launching?.maintenance?.endDate
            standing.message = standing.message ?? "The game is under maintenance."
        }
        guard standing.isPlayable else { return standing }
        if let graceBan = member.graceBan {
            standing.reason = .graceBanned
            standing.untilDate = graceBan.gracePeriodDate
            standing.message = graceBan.message
            standing.actions = [.play, .settleGraceBan, .contactSupport]
        } else if let withdrawal = member.temporaryWithdrawal {
            standing.reason = .withdrawalPending
            standing.untilDate = withdrawal.gracePeriodDate
            standing.message = "This account will be deleted. You can still cancel."
            standing.actions = [.play, .cancelWithdrawal]
        } else if member.mappings.contains(where: { $0.provider == .guest }) {
            standing.actions.append(.secureGuest)
        }
        return standing
    }

    func standing(ofBanned ban: Ban) -> Standing {
        Standing(
            isPlayable: false, reason: .banned, untilDate: ban.endDate,
            launchingStatus: launching?.status ?? .inService, memberStatus: .banned, message: ban.message,
            actions: ban.endDate == nil ? [.contactSupport] : [.wait, .contactSupport])
    }
}

extension Member {
    mutating func delete(at date: Int64) {
        temporaryWithdrawal = TemporaryWithdrawal(gracePeriodDate: date)
        status = .pendingWithdrawal
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
