import Crypto
import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// The lifetime, the owner and the end of a session.
///
/// A session is bound to the key of the device that opened it: neither of its tokens is usable without a fresh proof by that key
/// (SES-2). So refresh tokens need not rotate: no two refreshes can race, and losing a response loses nothing.
///
/// A session is valid only in the member's generation in which it was opened, and only as long as the link between its identity and
/// that member. Generations and links are numbers that only grow. So a ban, a transfer, a withdrawal or a moved mapping ends sessions
/// by its own write, on every node at once. A concurrent login can't slip through, and no later event, such as a release, a
/// cancellation or a mapping of the same account, revives a session.
enum SessionRules {
    /// Opens a session. Its refresh token is returned only here.
    ///
    /// - Parameter replaced: the session that ends when this one is used for the first time. A device that has lost the response
    ///   continues with its old session.
    static func open(
        _ account: Account, _ provider: Provider, on device: LoginDevice, replacing replaced: SessionID? = nil,
        _ change: Change, in tx: Draft
    ) throws -> (session: Session, refreshToken: RefreshToken) {
        // After a kick-out of all members, sessions begin at its end, which may be up to three seconds in the future.
        let moment = max(change.moment, change.app.kickOut?.end ?? change.moment)
        let end = moment.adding(seconds: device.lifetimes.maximumSeconds)
        let id = TimeOrderedID.session(at: change.moment, random: change.random)
        let session = Session(
            id: id, app: account.app, user: account.user,
            provider: provider, key: device.key, generation: account.generation, createdAt: moment,
            idleExpiresAt: min(end, moment.adding(seconds: device.lifetimes.idleSeconds)), expiresAt: end, end: nil,
            link: account.links[provider] ?? 0, replaces: replaced)
        let credential = SplitToken(id: id.rawValue, random: change.random)
        try SessionQueries.insert(session, refreshHash: credential.hash, client: device.client?.headerValue, in: tx)
        return (session, RefreshToken(credential.text))
    }

    /// Ends the oldest sessions of a member that has as many as the app allows.
    static func makeRoom(for account: Account, _ change: Change, in tx: Draft) throws {
        let limit = change.app.limits.liveSessions
        guard limit > 0,
            let newest = try SessionQueries.live(
                of: account.user, app: account.app, generation: account.generation, oldestOf: limit, in: tx)
        else { return }
        for id in try SessionQueries.live(of: account.user, app: account.app, upTo: newest, in: tx) {
            try SessionQueries.end(id, app: account.app, reason: .tooMany, at: change.moment, in: tx)
            try RevocationRules.revoke(account.user, session: id, reason: .tooManySessions, change, in: tx)
        }
    }

    /// The device information of a member's newest session. It is deleted with the member's sessions.
    static func client(of user: UserID, app: AppID, in tx: Reader) throws -> ClientInformation? {
        try SessionQueries.client(of: user, app: app, in: tx).flatMap { ClientInformation(headerValue: $0) }
    }

    /// The session of a refresh token whose key has signed the proof, with its member. A session that has ended is refused with `code`.
    static func session(
        of token: RefreshToken, key: KeyThumbprint, code: ErrorCode, _ view: Viewpoint, in tx: Reader
    ) throws -> (session: Session, account: Account) {
        let credential = try credential(token, code: code)
        let parts = try tx.rows(SessionQueries.live(SessionID(credential.id), app: view.app.id)) {
            try SessionQueries.LivePart($0)
        }
        let found = parts.first.map { (session: $0.session, refreshHash: $0.refreshHash) }
        let session = try verified(found, credential, key: key, code: code)
        guard let account = MemberQueries.account(parts.map(\.member)) else { throw Refusal(.authNotExistMember) }
        return (session, try requireLife(of: session, account, code: code, view, in: tx))
    }

    /// The session of an access token with its member, for a rule that changes something.
    ///
    /// - Parameter leaving: whether the call is the player's withdrawal. This is allowed although the session was ended by a report of
    ///   the member's only provider, and although its access token, which it can't refresh, has expired.
    static func session(
        of claims: AccessClaims, _ view: Viewpoint, settling: Bool = true, leaving: Bool = false, in tx: Reader
    ) throws -> (session: Session, account: Account) {
        let parts = try tx.rows(SessionQueries.live(claims.session, app: claims.app)) {
            try SessionQueries.LivePart($0)
        }
        guard !parts.isEmpty else { throw try unknown(claims, in: tx) }
        let (session, account) = try matching(parts, claims)
        guard view.moment < claims.expiresAt || leaving && mayLeave(session, account, view) else {
            throw AccessTokens.expired
        }
        let alive = try requireLife(
            of: session, account, code: .authInvalidGatehouseToken, view, settling: settling, leaving: leaving, in: tx)
        return (session, alive)
    }

    /// A session that was opened before, with its member, if it is still valid.
    ///
    /// - Parameter code: the code for a session that has ended. A banned member is refused as at a login.
    static func session(
        _ id: SessionID, of user: UserID, key: KeyThumbprint, code: ErrorCode, _ view: Viewpoint, in tx: Reader
    ) throws -> (session: Session, account: Account) {
        let parts = try tx.rows(SessionQueries.live(id, app: view.app.id)) { try SessionQueries.LivePart($0) }
        guard let session = parts.first?.session, let found = MemberQueries.account(parts.map(\.member)),
            session.user == user, session.key == key
        else {
            let account = try MemberQueries.account(user, app: view.app.id, in: tx)
            throw ended(code, account?.status == .withdrawn ? .withdrawn : .sessionUnknown, message: nil)
        }
        let account = try MemberRules.current(found, at: view.moment, in: tx)
        guard !account.isBanned(at: view.moment) else { throw try BanRules.refusal(of: account, view, in: tx) }
        return (session, try requireLife(of: session, account, code: code, view, in: tx))
    }

    /// The session of an access token with its member. A session that has ended is refused according to the database: at once and on
    /// every node (SES-5).
    static func live(
        _ claims: AccessClaims, _ view: Viewpoint, in database: Database
    ) async throws -> (session: Session, member: Member) {
        let parts = try await database.rows(SessionQueries.live(claims.session, app: claims.app)) {
            try SessionQueries.LivePart($0)
        }
        if let (session, account) = try? matching(parts, claims), account.status == .normal,
            lives(session, account, view)
        {
            // For nearly all sessions this one statement is enough.
            return (
                session,
                Member(
                    appId: account.app, userId: account.user, status: account.status,
                    registrationDate: account.registrationDate, lastLoginDate: account.lastLoginDate,
                    mappings: account.mappings)
            )
        }
        return try await database.read { tx in
            guard !parts.isEmpty else { throw try unknown(claims, in: tx) }
            let (session, account) = try matching(parts, claims)
            let alive = try requireLife(
                of: session, account, code: .authInvalidGatehouseToken, view, settling: false, in: tx)
            return (session, try MemberRules.member(alive, in: tx))
        }
    }

    /// Records the use of a session: its idle deadline moves, but never past its end (SES-7). The first use ends the session that it
    /// replaces.
    ///
    /// - Parameter resumes: whether this is a login with the last provider.
    static func extend(
        _ session: Session, lifetimes: SessionLifetimes, resumes: Bool = false, _ change: Change, in tx: Draft
    ) throws -> Moment {
        let deadline = min(session.expiresAt, change.moment.adding(seconds: lifetimes.idleSeconds))
        try SessionQueries.touch(session, until: deadline, resumes: resumes, at: change.moment, in: tx)
        if let replaced = session.replaces {
            try SessionQueries.clearReplacement(of: session, in: tx)
            if let former = try SessionQueries.session(replaced, app: session.app, in: tx)?.session {
                _ = try end(former, .replaced, change, in: tx)
            }
        }
        return deadline
    }

    /// Ends the session of a refresh token. Ending it twice is not an error, because the second call may repeat a first one whose
    /// response was lost (LOGOUT-2).
    static func logOut(
        _ token: RefreshToken, key: KeyThumbprint, _ change: Change, in tx: Draft
    ) throws {
        let credential = try credential(token, code: .authInvalidGatehouseToken)
        let found = try SessionQueries.session(SessionID(credential.id), app: change.app.id, in: tx)
        let session = try verified(found, credential, key: key, code: .authInvalidGatehouseToken)
        guard try end(session, .loggedOut, change, in: tx) else { return }
        try change.record(.loggedOut(session.id), of: session.user, in: tx)
    }

    /// Ends a session. False when it had already ended.
    static func end(
        _ session: Session, _ end: SessionEnd, _ change: Change, in tx: Draft
    ) throws -> Bool {
        guard session.end == nil else { return false }
        try SessionQueries.end(session.id, app: session.app, reason: end, at: change.moment, in: tx)
        try RevocationRules.revoke(
            session.user, session: session.id, reason: ErrorReason(end.rawValue), change, in: tx)
        return true
    }

    /// Ends every session of a member by beginning a new generation. The member's row must be locked or its version checked.
    static func endAll(of account: Account, _ end: SessionsEnd, _ change: Change, in tx: Draft) throws {
        try MemberQueries.endSessions(of: account.user, app: account.app, end, in: tx)
        try RevocationRules.revoke(
            account.user, generation: account.generation + 1, reason: end.reason, change, in: tx)
    }

    /// The maximum number of revocations of single sessions that one removal of an identity may write.
    private static let singleRevocations = 1_000

    /// Ends the sessions that were opened with an identity of a member whose row is locked. If the identity leaves the member, its link
    /// is gone, which already ends them; the rows written here inform game servers, and free places for other sessions.
    ///
    /// - Returns: false if there was none.
    @discardableResult
    static func endAll(
        openedWith provider: Provider, of account: Account, but kept: Session? = nil,
        reason end: SessionEnd = .identityRemoved, _ change: Change, in tx: Transaction
    ) throws -> Bool {
        let reason = ErrorReason(end.rawValue)
        // Each session is revoked by its id. A revocation by time could not distinguish tokens of this very second from those of a
        // mapping that is made again.
        let limit = singleRevocations
        let open = try SessionQueries.open(of: account, with: provider, but: kept?.id, limit: limit + 1, in: tx)
        for id in open.prefix(limit) {
            try RevocationRules.revoke(account.user, session: id, reason: reason, change, in: tx)
        }
        if open.count > limit {
            try RevocationRules.revoke(account.user, provider: provider, reason: reason, change, in: tx)
        }
        try SessionQueries.end(openedWith: provider, of: account, but: kept?.id, reason: end, at: change.moment, in: tx)
        return !open.isEmpty
    }

    /// Continues a guest's session under the identity that is now linked to the member.
    static func moveOn(
        _ session: Session, to provider: Provider, of account: Account, in tx: Draft
    ) throws {
        try SessionQueries.moveOn(session, to: provider, link: account.nextLink, in: tx)
    }

    /// Deletes the sessions of a member that withdraws.
    static func deleteAll(of user: UserID, _ change: Change, in tx: Draft) throws {
        try SessionQueries.deleteAll(of: user, app: change.app.id, in: tx)
        try RevocationRules.revoke(user, reason: .withdrawn, change, in: tx)
    }

    static func deleteOver(
        endedBefore end: Moment, createdBefore creation: Moment, limit: Int, in tx: Transaction
    ) throws -> Int {
        try SessionQueries.deleteOver(endedBefore: end, createdBefore: creation, limit: limit, in: tx)
    }

    // MARK: What is over

    static func lives(_ session: Session, _ account: Account, _ view: Viewpoint) -> Bool {
        session.end == nil && lasts(session, account, view)
    }

    /// The player has revoked the consent at the member's only provider, and can now only withdraw.
    private static func mayLeave(_ session: Session, _ account: Account, _ view: Viewpoint) -> Bool {
        session.end == .consentRevoked && account.mappings.count == 1
            && account.mappings.allSatisfy { $0.provider == session.provider && $0.revokedDate != nil }
            && lasts(session, account, view)
    }

    private static func lasts(_ session: Session, _ account: Account, _ view: Viewpoint) -> Bool {
        view.moment < session.idleExpiresAt && view.moment < session.expiresAt
            && session.generation == account.generation && !isKickedOut(session, view)
            && account.links[session.provider] == session.link
    }

    private static func isKickedOut(_ session: Session, _ view: Viewpoint) -> Bool {
        view.app.kickOut.map { session.createdAt < $0.end } ?? false
    }

    /// The member of a valid session, with its holds. Any other session is refused with the reason of its end.
    private static func requireLife(
        of session: Session, _ account: Account, code: ErrorCode, _ view: Viewpoint, settling: Bool = true,
        leaving: Bool = false, in tx: Reader
    ) throws -> Account {
        let account = try MemberRules.withHolds(account, in: tx)
        // A member with a passed deadline must first get the due change.
        if settling, account.hasLapsed(at: view.moment) { throw LapsedMember(app: account.app, user: account.user) }
        let isOver =
            account.isGone || account.isBanned(at: view.moment) || account.hasWithdrawn(at: view.moment)
        let isGood = lives(session, account, view) || leaving && mayLeave(session, account, view)
        guard isGood, !isOver else {
            throw try refusal(of: session, account, code: code, view, in: tx)
        }
        return account
    }

    private static func refusal(
        of session: Session, _ account: Account, code: ErrorCode, _ view: Viewpoint, in tx: Reader
    ) throws -> Refusal {
        if let end = session.end {
            let reporter = end == .consentRevoked ? session.provider : nil
            let reason = ErrorReason(end.rawValue)
            let message = SessionEndText.message(reason, written: nil, view)
            return ended(code, reason, message: message, provider: reporter)
        }
        guard view.moment < session.idleExpiresAt, view.moment < session.expiresAt else {
            return Refusal(code, "The session has expired.", reason: .sessionExpired, httpStatus: 401)
        }
        if account.hasWithdrawn(at: view.moment) {
            return Refusal(code, "The member has withdrawn.", reason: .withdrawn, httpStatus: 401)
        }
        if account.isBanned(at: view.moment) {
            return try BanRules.refusal(of: account, code: code, reason: .banned, view, in: tx)
        }
        if isKickedOut(session, view) {
            let message = SessionEndText.message(.kickedOut, written: view.app.kickOut?.message, view)
            return ended(code, .kickedOut, message: message)
        }
        guard session.generation != account.generation else { return ended(code, .identityRemoved, message: nil) }
        let end = try MemberQueries.sessionsEnd(of: account.user, app: account.app, in: tx)
        let reason = end?.reason ?? .sessionUnknown
        let message = SessionEndText.message(reason, written: end?.message, view)
        return ended(code, reason, message: message)
    }

    private static func ended(
        _ code: ErrorCode, _ reason: ErrorReason, message: String?, provider: Provider? = nil
    ) -> Refusal {
        var details: [String: JSONValue] = [:]
        if let message { details[ErrorDetail.message] = .string(message) }
        if let provider { details[ErrorDetail.provider] = .string(provider.rawValue) }
        return Refusal(code, "The session has ended.", reason: reason, details: details, httpStatus: 401)
    }

    /// A session that doesn't exist may have been deleted with its member.
    private static func unknown(_ claims: AccessClaims, in tx: Reader) throws -> Refusal {
        let account = try MemberQueries.account(claims.user, app: claims.app, in: tx)
        let reason: ErrorReason = account?.status == .withdrawn ? .withdrawn : .sessionUnknown
        return Refusal(
            .authInvalidGatehouseToken, "There is no such session.", reason: reason, audit: "token.refused")
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

    private static func credential(_ token: RefreshToken, code: ErrorCode) throws -> SplitToken {
        guard let credential = SplitToken(token.secretValue) else {
            throw Refusal(
                code, "The refresh token is not one of ours.", reason: .tokenMalformed, httpStatus: 401,
                audit: "token.refused")
        }
        return credential
    }

    /// The session in any state, if the token belongs to it and the key is the one to which it is bound.
    private static func verified(
        _ found: (session: Session, refreshHash: [UInt8])?, _ credential: SplitToken, key: KeyThumbprint,
        code: ErrorCode
    ) throws -> Session {
        guard let (session, refreshHash) = found, credential.matches(refreshHash) else {
            throw Refusal(
                code, "There is no such session.", reason: .sessionUnknown, httpStatus: 401, audit: "token.refused")
        }
        guard session.key == key else {
            throw Refusal(
                code, "The session is bound to another device's key.", reason: .keyMismatch, httpStatus: 401,
                audit: "token.refused")
        }
        return session
    }
}
