import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

extension ServerAPI {
    private static let authSystem = "gbid"

    // MARK: Tokens

    /// 1: the owner of an access token, and whether it is valid at this moment.
    @Sendable func authenticate(_ call: ServerAPICall) async throws -> TokenAnswer {
        let wantsIdP = try call.flag("linkedIdP", default: false)
        let check = try await check(call.token ?? AccessToken(""), call)
        let linked = check.member.mappings.first { $0.provider == check.provider }
        return TokenAnswer(
            header: call.success,
            linkedIdP: wantsIdP ? linked.map { LinkedIdP(idPCode: $0.provider, idPId: $0.subject) } : nil,
            member: Self.entry(check.member, call.version, withGrace: true))
    }

    /// 2: what the token's identity provider has reported and issued.
    @Sendable func providerProfile(_ call: ServerAPICall) async throws -> IdPAnswer {
        let provider = Provider(call.path("idPCode"))
        let check = try await check(AccessToken(try call.required("accessToken")), call)
        guard check.provider == provider else {
            throw ServerAPIFailure(
                .invalidAuthentication,
                .parameter("idPCode", "The access token was not issued by a login with this identity provider."))
        }
        let profile = try await features.identityTokens.profile(
            call.call(ProviderProfileRequest(userId: check.member.userId, provider: provider)), for: check.sessionId
        ).body
        return IdPAnswer(
            header: call.success, idPProfile: profile.profile,
            // Gamebase has one name for both, as in its credentials.
            idPToken: .init(
                idPCode: provider, accessToken: (profile.accessToken ?? profile.idToken)?.secretValue))
    }

    private func check(_ token: AccessToken, _ call: ServerAPICall) async throws -> TokenCheck {
        do {
            return try await features.tokenCheck.check(
                call.call(TokenCheckRequest(accessToken: token, userId: call.user))
            ).body
        } catch let refusal as Refusal where refusal.code == .authInvalidGatehouseToken {
            // If the member can't play, that is reported instead of why the session ended.
            let member = try? await features.lookup.member(call.user, call.view).member
            let cantPlay: Set<MemberStatus> = [.banned, .withdrawn, .missing]
            guard refusal.reason != .tokenForeign, refusal.reason != .tokenMalformed,
                let member, cantPlay.contains(member.status)
            else { throw refusal }
            throw ServerAPIFailure(.invalidUser, refusal)
        }
    }

    // MARK: Members

    /// 3: one member.
    @Sendable func member(_ call: ServerAPICall) async throws -> MemberAnswer {
        let wantsInfo = try call.flag("includeMemberInfo", default: true)
        let found = try await features.lookup.member(call.user, withClient: wantsInfo, call.view)
        let isWithdrawn = found.member.status == .withdrawn
        return MemberAnswer(
            header: call.success, member: Self.entry(found.member, call.version, withGrace: false),
            temporaryWithdrawal: Self.grace(found.member, call.version),
            memberInfo: wantsInfo && !isWithdrawn ? found.client ?? ClientInformation() : nil)
    }

    /// 4: summaries of members. Unknown members are left out.
    @Sendable func members(_ call: ServerAPICall) async throws -> MembersAnswer {
        let users = try call.names(in: "userIdList").map { UserID($0) }
        let found = try await features.lookup.members(users, call.view)
        return MembersAnswer(
            header: call.success,
            memberList: found.map { brief in
                BriefEntry(
                    userId: brief.user, valid: brief.status, appId: call.app.id,
                    regDate: call.version.date(ofMember: brief.registeredAt.milliseconds))
            })
    }

    /// 5: the identities of members.
    @Sendable func authKeys(_ call: ServerAPICall) async throws -> AuthKeysAnswer {
        let users = try call.names(in: "userIdList").map { UserID($0) }
        let found = try await features.lookup.identities(of: users, call.view)
        var result: [String: [AuthKeysAnswer.Entry]] = [:]
        for (user, mappings) in found {
            result[user.rawValue] = mappings.map {
                .init(authKey: $0.authKey, idPCode: $0.provider, authSystem: Self.authSystem)
            }
        }
        return AuthKeysAnswer(header: call.success, result: result)
    }

    /// 6: the members that keys of ``authKeys(_:)`` belong to.
    @Sendable func usersByAuthKey(_ call: ServerAPICall) async throws -> UserIDsAnswer {
        let system = try call.required("authSystem")
        guard system == Self.authSystem else {
            throw ServerAPIFailure(
                .unsuitableParameter, .parameter("authSystem", "The only authentication system is \(Self.authSystem)."))
        }
        var subjects: [Provider: [String]] = [:]
        let keys = try call.names(in: "authKeyList")
        try MemberLookup.check(keys)
        for key in keys {
            guard let (provider, subject) = Mapping.parse(authKey: key) else { continue }
            subjects[provider, default: []].append(subject)
        }
        var result = UsersByName(users: [:])
        for (provider, subjects) in subjects {
            for (subject, user) in try await features.lookup.owners(of: subjects, at: provider, call.view) {
                let mapping = Mapping(provider: provider, subject: subject.text, registrationDate: 0)
                result.users[ExactText(mapping.authKey)] = user
            }
        }
        return UserIDsAnswer(header: call.success, result: result)
    }

    /// 7: the members that identities of one provider belong to.
    @Sendable func usersByIdPID(_ call: ServerAPICall) async throws -> UserIDsAnswer {
        let subjects = try call.names(in: "idPIdList")
        let found = try await features.lookup.owners(
            of: subjects, at: Provider(call.path("idPCode")), call.view)
        return UserIDsAnswer(header: call.success, result: UsersByName(users: found))
    }

    /// 13: the owner of a transfer account.
    @Sendable func validateTransferAccount(_ call: ServerAPICall) async throws -> TransferAccountAnswer {
        let body = try call.decoded(as: TransferAccountBody.self).account
        let member = try await features.transfer.validate(
            call.call(TransferRedemption(id: body.id, password: body.password))
        ).body
        var entry = Self.entry(member, call.version, withGrace: false)
        entry.authList = nil
        return TransferAccountAnswer(header: call.success, member: entry)
    }

    // MARK: Entries

    private static func entry(_ member: Member, _ version: ServerAPIVersion, withGrace: Bool) -> MemberEntry {
        // A member with only one login has no last login yet, and a withdrawn member has no personal data.
        let hasReturned = member.lastLoginDate > member.registrationDate && member.status != .withdrawn
        return MemberEntry(
            userId: member.userId, valid: member.status, appId: member.appId,
            regDate: version.date(ofMember: member.registrationDate),
            lastLoginDate: hasReturned ? version.date(ofMember: member.lastLoginDate) : nil,
            authList: member.mappings.map { mapping in
                AuthEntry(
                    userId: member.userId, authSystem: authSystem, idPCode: mapping.provider, authKey: mapping.authKey,
                    regDate: version.date(ofMember: mapping.registrationDate))
            },
            temporaryWithdrawal: withGrace ? grace(member, version) : nil)
    }

    /// Present only for a member with status T, because a ban takes precedence.
    private static func grace(_ member: Member, _ version: ServerAPIVersion) -> GracePeriod? {
        guard member.status == .pendingWithdrawal, let pending = member.temporaryWithdrawal else { return nil }
        return GracePeriod(gracePeriodDate: version.date(ofMember: pending.gracePeriodDate))
    }
}
