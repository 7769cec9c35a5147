import GatehouseCore
import GatehouseJSON
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire

extension ServerAPI {
    private static let authSystem = "gbid"

    // MARK: Tokens

    /// 1: the owner of an access token, and whether it is valid at this moment.
    @Sendable func authenticate(_ call: ServerAPICall) async throws -> TokenAnswer {
        let wantsIdP = try call.flag("linkedIdP", default: false)
        let token = TokenCheckRequest(accessToken: call.token ?? AccessToken(""), userId: call.user)
        let check = try await explaining(call) { try await call.run(CheckToken(request: token)) }
        let linked = check.member.mappings.first { $0.provider == check.provider }
        return TokenAnswer(
            header: call.success,
            linkedIdP: wantsIdP ? linked.map { LinkedIdP(idPCode: $0.provider, idPId: $0.subject) } : nil,
            member: Self.entry(check.member, call.version, withGrace: true))
    }

    /// 2: what the token's identity provider has reported and issued.
    @Sendable func providerProfile(_ call: ServerAPICall) async throws -> IdPAnswer {
        let provider = Provider(call.path("idPCode"))
        let token = TokenCheckRequest(
            accessToken: AccessToken(try call.required("accessToken")), userId: call.user)
        let profile = try await explaining(call) {
            try await call.run(ReadProfileByToken(token: token, provider: provider))
        }
        return IdPAnswer(
            header: call.success, idPProfile: profile.profile,
            // Gamebase has one name for both, as in its credentials.
            idPToken: .init(
                idPCode: provider, accessToken: (profile.accessToken ?? profile.idToken)?.secretValue))
    }

    /// Runs a call with an access token. If the token's member can't play, that is reported instead of why the session ended.
    private func explaining<Value>(_ call: ServerAPICall, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let refusal as Refusal where refusal == .foreignProvider {
            throw ServerAPIFailure(.invalidAuthentication, refusal)
        } catch let refusal as Refusal where refusal.code == .authInvalidGatehouseToken {
            let cantPlay: Set<MemberStatus> = [.banned, .withdrawn, .missing]
            guard refusal.reason != .tokenForeign, refusal.reason != .tokenMalformed,
                let status = try? await call.run(ReadMemberStatus(user: call.user)), cantPlay.contains(status)
            else { throw refusal }
            throw ServerAPIFailure(.invalidUser, refusal)
        }
    }

    // MARK: Members

    /// 3: one member.
    @Sendable func member(_ call: ServerAPICall) async throws -> MemberAnswer {
        let wantsInfo = try call.flag("includeMemberInfo", default: true)
        let found = try await call.run(FindMember(user: call.user, withClient: wantsInfo))
        let isWithdrawn = found.member.status == .withdrawn
        return MemberAnswer(
            header: call.success, member: Self.entry(found.member, call.version, withGrace: false),
            temporaryWithdrawal: Self.grace(found.member, call.version),
            memberInfo: wantsInfo && !isWithdrawn ? found.client ?? ClientInformation() : nil)
    }

    /// 4: summaries of members. Unknown members are left out.
    @Sendable func members(_ call: ServerAPICall) async throws -> MembersAnswer {
        let users = try call.names(in: "userIdList").map { UserID($0) }
        let found = try await call.run(FindMembers(users: users))
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
        let found = try await call.run(FindIdentities(users: users))
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
        try MembersOfCall.check(keys)
        for key in keys {
            guard let (provider, subject) = Mapping.parse(authKey: key) else { continue }
            subjects[provider, default: []].append(subject)
        }
        var result = UsersByName(users: [:])
        for (provider, subjects) in subjects {
            for (subject, user) in try await call.run(FindOwners(subjects: subjects, provider: provider)) {
                let mapping = Mapping(provider: provider, subject: subject.text, registrationDate: 0)
                result.users[ExactText(mapping.authKey)] = user
            }
        }
        return UserIDsAnswer(header: call.success, result: result)
    }

    /// 7: the members that identities of one provider belong to.
    @Sendable func usersByIdPID(_ call: ServerAPICall) async throws -> UserIDsAnswer {
        let subjects = try call.names(in: "idPIdList")
        let found = try await call.run(
            FindOwners(subjects: subjects, provider: Provider(call.path("idPCode"))))
        return UserIDsAnswer(header: call.success, result: UsersByName(users: found))
    }

    /// 13: the owner of a transfer account.
    @Sendable func validateTransferAccount(_ call: ServerAPICall) async throws -> TransferAccountAnswer {
        let body = try call.decoded(as: TransferAccountBody.self).account
        let member = try await call.run(
            ValidateTransferAccount(redemption: TransferRedemption(id: body.id, password: body.password)))
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
