import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// One login on one device.
struct Session: Sendable, Hashable {
    let id: SessionID
    let app: AppID
    let user: UserID
    /// The identity provider with which it was opened.
    let provider: Provider
    /// The device's key to which it is bound (SES-2).
    let key: KeyThumbprint
    /// The member's generation at its opening. A later generation has ended the session.
    let generation: Int64
    let createdAt: Moment
    /// Its end unless it is used before.
    let idleExpiresAt: Moment
    /// Its latest possible end.
    let expiresAt: Moment
    /// Why it ended; nil if it has not.
    let end: SessionEnd?
    /// The link of the identity with which it was opened (``Account/links``). An identity that is removed and mapped again has another
    /// link.
    var link: Int64 = 0
    /// The session that it replaces with its first use; nil after that.
    var replaces: SessionID?
    /// Where the device's key is, as the device says; nil if it has said nothing.
    var keyProtection: KeyProtection?
}

/// Why a session ended. An open set, because rows outlive versions.
struct SessionEnd: RawRepresentable, Sendable, Hashable {
    let rawValue: String

    static let loggedOut = SessionEnd(rawValue: ErrorReason.loggedOut.rawValue)
    /// A login by ticket replaced it (MAP-7).
    static let replaced = SessionEnd(rawValue: ErrorReason.replaced.rawValue)
    /// The identity with which it was opened no longer belongs to its member.
    static let identityRemoved = SessionEnd(rawValue: ErrorReason.identityRemoved.rawValue)
    /// The identity provider reports that the player has revoked the consent there.
    static let consentRevoked = SessionEnd(rawValue: ErrorReason.consentRevoked.rawValue)
    /// The player ended it on another device.
    static let endedElsewhere = SessionEnd(rawValue: ErrorReason.endedElsewhere.rawValue)
    /// An operator or a game server ended it, and no other session of the member.
    static let kickedOut = SessionEnd(rawValue: ErrorReason.kickedOut.rawValue)
    /// A newer session of the member replaced it.
    static let tooMany = SessionEnd(rawValue: ErrorReason.tooManySessions.rawValue)
}

/// The lifetimes of sessions and their tokens.
public struct SessionLifetimes: Sendable, Hashable {
    /// The lifetime of an access token.
    public var accessTokenSeconds: Int64
    /// The lifetime of an unused session.
    public var idleSeconds: Int64
    /// The maximum lifetime of a session, regardless of its use.
    public var maximumSeconds: Int64

    public init(
        accessTokenSeconds: Int64 = 3_600, idleSeconds: Int64 = 90 * 86_400, maximumSeconds: Int64 = 400 * 86_400
    ) {
        self.accessTokenSeconds = accessTokenSeconds
        self.idleSeconds = idleSeconds
        self.maximumSeconds = maximumSeconds
    }
}

/// Why all sessions of a member ended.
struct SessionsEnd: Sendable, Hashable {
    let reason: ErrorReason
    /// The message to players, by language.
    var message: LocalizedText?
}

/// The device of a login.
struct LoginDevice: Sendable {
    /// The device's key, to which the session is bound.
    let key: KeyThumbprint
    let context: CallContext
    let lifetimes: SessionLifetimes
    /// Information about the device.
    var client: ClientInformation?
    /// Where its key is, as it says.
    var keyProtection: KeyProtection?
}

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
            link: account.links[provider] ?? 0, replaces: replaced, keyProtection: device.keyProtection)
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

    /// Records the use of a session: its idle deadline moves, but never past its end (SES-7). The first use ends the session that it
    /// replaces.
    ///
    /// - Parameter resumes: whether this is a login with the last provider.
    /// - Parameter protection: where the device's key is, as the device says; nil if it says nothing.
    static func extend(
        _ session: Session, lifetimes: SessionLifetimes, resumes: Bool = false, protection: KeyProtection?,
        _ change: Change, in tx: Draft
    ) throws -> Moment {
        let deadline = min(session.expiresAt, change.moment.adding(seconds: lifetimes.idleSeconds))
        try SessionQueries.touch(
            session, until: deadline, resumes: resumes,
            protection: protection == session.keyProtection ? nil : protection, at: change.moment, in: tx)
        if let replaced = session.replaces {
            try SessionQueries.clearReplacement(of: session, in: tx)
            if let former = try SessionQueries.session(replaced, app: session.app, in: tx)?.session {
                _ = try end(former, .replaced, change, in: tx)
            }
        }
        return deadline
    }

    /// Ends the session of a refresh token. Ending it twice is not an error, because the second call may repeat a first one whose
    /// response was lost (LOGOUT-2). A session that something else has ended keeps its reason, because a device that was kicked out
    /// logs out of its old session before it logs in again.
    static func logOut(
        _ token: RefreshToken, key: KeyThumbprint, _ change: Change, in tx: Draft
    ) throws {
        let credential = try credential(token, code: .authInvalidGatehouseToken)
        let parts = try tx.rows(SessionQueries.live(SessionID(credential.id), app: change.app.id)) {
            try SessionQueries.LivePart($0)
        }
        let (session, account) = try verified(parts, credential, key: key, code: .authInvalidGatehouseToken)
        guard lives(session, account, change.context), try end(session, .loggedOut, change, in: tx) else { return }
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

    /// Whether a session other than this one was opened with an identity of a member, and has not ended.
    static func isOpen(
        with provider: Provider, of account: Account, but kept: Session, in tx: Reader
    ) throws -> Bool {
        try !SessionQueries.open(of: account, with: provider, but: kept.id, limit: 1, in: tx).isEmpty
    }

    /// Continues a guest's session under the identity that is now linked to the member.
    static func moveOn(
        _ session: Session, to provider: Provider, of account: Account, in tx: Draft
    ) throws {
        try SessionQueries.moveOn(session, to: provider, link: account.nextLink, in: tx)
    }

    /// Deletes the sessions of a member that withdraws. For a while the hashes of their tokens stay, so that the member's other devices are
    /// told why they are logged out.
    static func deleteAll(of user: UserID, _ change: Change, in tx: Transaction) throws {
        try WithdrawnSessionQueries.insert(
            sessionsOf: user, app: change.app.id, at: change.moment,
            until: change.moment.adding(seconds: Sweeper.endedSessionDays * 86_400), in: tx)
        try SessionQueries.deleteAll(of: user, app: change.app.id, in: tx)
        try RevocationRules.revoke(user, reason: .withdrawn, change, in: tx)
    }
}
