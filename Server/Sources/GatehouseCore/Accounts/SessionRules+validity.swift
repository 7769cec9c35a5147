import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Finds the session of a token with its member, and refuses one that is over.
extension SessionRules {
    /// The session of a refresh token whose key has signed the proof, with its member. A session that has ended is refused with `code`.
    static func session(
        of token: RefreshToken, key: KeyThumbprint, code: ErrorCode, _ context: CallContext, in tx: Reader
    ) throws -> (session: Session, account: Account) {
        let credential = try credential(token, code: code)
        let parts = try tx.rows(SessionQueries.live(SessionID(credential.id), app: context.app.id)) {
            try SessionQueries.LivePart($0)
        }
        if parts.isEmpty,
            try WithdrawnSessionQueries.isThere(credential.hash, app: context.app.id, at: context.moment, in: tx)
        {
            throw withdrawn(code, context)
        }
        let (session, account) = try verified(parts, credential, key: key, code: code)
        return (session, try requireLife(of: session, account, code: code, context, in: tx))
    }

    /// The session of an access token with its member, for a rule that changes something.
    ///
    /// - Parameter leaving: whether the call is the player's withdrawal. This is allowed although the session was ended by a report of
    ///   the member's only provider, and although its access token, which it can't refresh, has expired.
    static func session(
        of claims: AccessClaims, _ context: CallContext, settling: Bool = true, leaving: Bool = false, in tx: Reader
    ) throws -> (session: Session, account: Account) {
        let parts = try tx.rows(SessionQueries.live(claims.session, app: claims.app)) {
            try SessionQueries.LivePart($0)
        }
        guard !parts.isEmpty else { throw try unknown(claims, context, in: tx) }
        let (session, account) = try matching(parts, claims)
        guard context.moment < claims.expiresAt || leaving && mayLeave(session, account, context) else {
            throw AccessTokens.expired
        }
        let alive = try requireLife(
            of: session, account, code: .authInvalidGatehouseToken, context, settling: settling, leaving: leaving,
            in: tx)
        return (session, alive)
    }

    /// A session that was opened before, with its member, if it is still valid.
    ///
    /// - Parameter code: the code for a session that has ended. A banned member is refused as at a login.
    static func session(
        _ id: SessionID, of user: UserID, key: KeyThumbprint, code: ErrorCode, _ context: CallContext, in tx: Reader
    ) throws -> (session: Session, account: Account) {
        let parts = try tx.rows(SessionQueries.live(id, app: context.app.id)) { try SessionQueries.LivePart($0) }
        guard let session = parts.first?.session, let found = MemberQueries.account(parts.map(\.member)),
            session.user == user, session.key == key
        else {
            let account = try MemberQueries.account(user, app: context.app.id, in: tx)
            guard account?.status != .withdrawn else { throw withdrawn(code, context) }
            throw ended(code, .sessionUnknown, message: nil)
        }
        let account = try MemberRules.current(found, at: context.moment, in: tx)
        guard !account.isBanned(at: context.moment) else { throw try HoldRules.refusal(of: account, context, in: tx) }
        return (session, try requireLife(of: session, account, code: code, context, in: tx))
    }

    /// The session of an access token with its member. A session that has ended is refused according to the database: at once and on
    /// every node (SES-5).
    static func live(
        _ claims: AccessClaims, _ context: CallContext, in database: Database
    ) async throws -> (session: Session, member: Member) {
        let parts = try await database.rows(SessionQueries.live(claims.session, app: claims.app)) {
            try SessionQueries.LivePart($0)
        }
        if let (session, account) = try? matching(parts, claims), account.status == .normal,
            lives(session, account, context)
        {
            // For nearly all sessions this one statement is enough.
            return (session, Member(account))
        }
        return try await database.read { tx in
            guard !parts.isEmpty else { throw try unknown(claims, context, in: tx) }
            let (session, account) = try matching(parts, claims)
            let alive = try requireLife(
                of: session, account, code: .authInvalidGatehouseToken, context, settling: false, in: tx)
            return (session, try MemberRules.member(alive, in: tx))
        }
    }

    // MARK: What is over

    static func lives(_ session: Session, _ account: Account, _ context: CallContext) -> Bool {
        session.end == nil && lasts(session, account, context)
    }

    /// The player has revoked the consent at the member's only provider, and can now only withdraw.
    private static func mayLeave(_ session: Session, _ account: Account, _ context: CallContext) -> Bool {
        session.end == .consentRevoked && account.mappings.count == 1
            && account.mappings.allSatisfy { $0.provider == session.provider && $0.revokedDate != nil }
            && lasts(session, account, context)
    }

    private static func lasts(_ session: Session, _ account: Account, _ context: CallContext) -> Bool {
        context.moment < session.idleExpiresAt && context.moment < session.expiresAt
            && session.generation == account.generation && !isKickedOut(session, context)
            && account.links[session.provider] == session.link
    }

    private static func isKickedOut(_ session: Session, _ context: CallContext) -> Bool {
        context.app.kickOut.map { session.createdAt < $0.end } ?? false
    }

    /// The member of a valid session, with its holds. Any other session is refused with the reason of its end.
    private static func requireLife(
        of session: Session, _ account: Account, code: ErrorCode, _ context: CallContext, settling: Bool = true,
        leaving: Bool = false, in tx: Reader
    ) throws -> Account {
        let account = try MemberRules.withHolds(account, in: tx)
        // A member with a passed deadline must first get the due change.
        if settling, account.hasLapsed(at: context.moment) {
            throw AttemptFailure.unsettled(LapsedMember(app: account.app, user: account.user))
        }
        let isOver =
            account.isGone || account.isBanned(at: context.moment) || account.hasWithdrawn(at: context.moment)
        let isGood = lives(session, account, context) || leaving && mayLeave(session, account, context)
        guard isGood, !isOver else {
            throw try refusal(of: session, account, code: code, context, in: tx)
        }
        return account
    }

    private static func refusal(
        of session: Session, _ account: Account, code: ErrorCode, _ context: CallContext, in tx: Reader
    ) throws -> Refusal {
        if let end = session.end {
            let reporter = end == .consentRevoked ? session.provider : nil
            let reason = ErrorReason(end.rawValue)
            let message = SessionEndText.message(reason, written: nil, context)
            return ended(code, reason, message: message, provider: reporter)
        }
        guard context.moment < session.idleExpiresAt, context.moment < session.expiresAt else {
            return Refusal(code, "The session has expired.", reason: .sessionExpired, httpStatus: 401)
        }
        if account.hasWithdrawn(at: context.moment) { return withdrawn(code, context) }
        if account.isBanned(at: context.moment) {
            return try HoldRules.refusal(of: account, code: code, reason: .banned, context, in: tx)
        }
        if isKickedOut(session, context) {
            let message = SessionEndText.message(.kickedOut, written: context.app.kickOut?.message, context)
            return ended(code, .kickedOut, message: message)
        }
        guard session.generation != account.generation else {
            let message = SessionEndText.message(.identityRemoved, written: nil, context)
            return ended(code, .identityRemoved, message: message)
        }
        let end = try MemberQueries.sessionsEnd(of: account.user, app: account.app, in: tx)
        let reason = end?.reason ?? .sessionUnknown
        let message = SessionEndText.message(reason, written: end?.message, context)
        return ended(code, reason, message: message)
    }

    private static func ended(
        _ code: ErrorCode, _ reason: ErrorReason, message: String?, provider: Provider? = nil
    ) -> Refusal {
        Refusal(
            code, "The session has ended.", reason: reason, details: ErrorDetails(message: message, provider: provider),
            httpStatus: 401)
    }

    private static func withdrawn(_ code: ErrorCode, _ context: CallContext) -> Refusal {
        ended(code, .withdrawn, message: SessionEndText.message(.withdrawn, written: nil, context))
    }

    /// A session that doesn't exist may have been deleted with its member.
    private static func unknown(_ claims: AccessClaims, _ context: CallContext, in tx: Reader) throws -> Refusal {
        let account = try MemberQueries.account(claims.user, app: claims.app, in: tx)
        guard account?.status != .withdrawn else { return withdrawn(.authInvalidGatehouseToken, context) }
        return Refusal(
            .authInvalidGatehouseToken, "There is no such session.", reason: .sessionUnknown, audit: "token.refused")
    }

    private static func matching(
        _ parts: [SessionQueries.LivePart], _ claims: AccessClaims
    ) throws -> (session: Session, account: Account) {
        guard let session = parts.first?.session, let account = MemberQueries.account(parts.map(\.member)),
            session.user == claims.user, session.key == claims.key
        else {
            throw Refusal(
                .authInvalidGatehouseToken, "There is no such session.", reason: .sessionUnknown, audit: "token.refused"
            )
        }
        return (session, account)
    }

    // MARK: Refresh tokens

    static func credential(_ token: RefreshToken, code: ErrorCode) throws -> SplitToken {
        guard let credential = SplitToken(token.secretValue) else {
            throw Refusal(
                code, "The refresh token is not one of ours.", reason: .tokenMalformed, httpStatus: 401,
                audit: "token.refused")
        }
        return credential
    }

    /// The session in any state with its member, if the token belongs to it and the key is the one to which it is bound.
    static func verified(
        _ parts: [SessionQueries.LivePart], _ credential: SplitToken, key: KeyThumbprint, code: ErrorCode
    ) throws -> (session: Session, account: Account) {
        guard let found = parts.first, credential.matches(found.refreshHash) else {
            throw Refusal(
                code, "There is no such session.", reason: .sessionUnknown, httpStatus: 401, audit: "token.refused")
        }
        guard found.session.key == key else {
            throw Refusal(
                code, "The session is bound to another device's key.", reason: .keyMismatch, httpStatus: 401,
                audit: "token.refused")
        }
        guard let account = MemberQueries.account(parts.map(\.member)) else { throw Refusal(.authNotExistMember) }
        return (found.session, account)
    }
}

extension SessionRules {
    /// A member's live sessions that a login with a provider has opened, or that have stored the provider's tokens, except those
    /// continued since by a login with the last provider (LOGIN-9).
    static func sessions(
        of account: Account, loggedInWith provider: Provider, orBy kept: IdentityTokenQueries.Kept,
        _ context: CallContext,
        in tx: Reader
    ) throws -> [Session] {
        guard !account.hasWithdrawn(at: context.moment), !account.isBanned(at: context.moment) else { return [] }
        return try SessionQueries.live(of: account, loggedInWith: provider, orBy: kept, in: tx)
            .filter { lives($0, account, context) }
    }
}

extension SessionQueries {
    /// A limited number of sessions, newest first.
    fileprivate static func live(
        of account: Account, loggedInWith provider: Provider, orBy kept: IdentityTokenQueries.Kept, in tx: Reader
    ) throws -> [Session] {
        try tx.rows(
            """
            SELECT \(columns) FROM sessions s
            WHERE s.user_id = \(account.user) AND s.app_id = \(account.app) AND s.ended_at IS NULL
                AND s.generation = \(account.generation)
                AND (s.idp = \(provider) AND s.resumed_at IS NULL
                    OR s.session_id = \(kept.session) AND (s.resumed_at IS NULL OR s.resumed_at < \(kept.updatedAt)))
            ORDER BY s.session_id DESC LIMIT 1000
            """
        ) { row in
            var columns = row.columns
            return try session(of: &columns)
        }
    }
}

/// The message to players whose session was ended by something other than their logout (BAN-6, TRANSFER-7).
enum SessionEndText {
    /// A message in the player's language: the operator's text for this end, or the default text for its reason. Nil if there is
    /// nothing to show.
    package static func message(_ reason: ErrorReason, written: LocalizedText?, _ context: CallContext) -> String? {
        context.text(written) ?? context.text(standard(reason))
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

extension Work {
    /// The caller's session and member, for an action that only reads.
    func livePlayer() async throws -> (session: Session, member: Member) {
        try await SessionRules.live(try actor.requireClaims(), context, in: services.database)
    }

    /// The app's status for the caller's device.
    func launchingStatus() async throws -> LaunchingStatus {
        try await LaunchingRules.status(context, device: actor.key, in: services.database)
    }
}
