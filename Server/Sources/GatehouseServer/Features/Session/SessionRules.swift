import Crypto
import Foundation
import GatehouseStorage
import GatehouseWire

/// When a session lives, whom it belongs to, and how it ends.
///
/// A session is bound to the key of the device that opened it: neither of its tokens is worth anything without a fresh
/// proof by that key (SES-2). So refresh tokens need not rotate, and there is no rotation to race or to lose an answer of.
enum SessionRules {
    /// A new session. Its refresh token is returned here and never again.
    static func open(
        member: UserID, app: AppID, provider: Provider, key: KeyThumbprint, lifetimes: SessionLifetimes,
        at moment: Moment, random: RandomSource, in tx: Transaction
    ) throws -> (session: Session, refreshToken: RefreshToken) {
        let end = moment.adding(seconds: lifetimes.maximumSeconds)
        let session = Session(
            id: TimeOrderedID.session(at: moment, random: random), app: app, user: member, provider: provider, key: key,
            createdAt: moment, idleExpiresAt: min(end, moment.adding(seconds: lifetimes.idleSeconds)), expiresAt: end,
            end: nil)
        let credential = RefreshCredential(session: session.id, secret: random.bytes(32))
        try SessionQueries.insert(session, refreshHash: hash(credential), in: tx)
        return (session, credential.token)
    }

    /// The live session of a refresh token that its own key has signed for. Anything else is refused with `code`.
    static func session(
        of token: RefreshToken, key: KeyThumbprint, app: AppID, code: ErrorCode, at moment: Moment, in tx: Transaction
    ) throws -> Session {
        let credential = try credential(token, code: code)
        let found = try SessionQueries.session(credential.session, app: app, in: tx)
        let session = try verified(found, credential, key: key, code: code)
        try requireLive(session, code: code, at: moment)
        return session
    }

    /// The same, with its member.
    static func liveSession(
        of token: RefreshToken, key: KeyThumbprint, app: AppID, code: ErrorCode, at moment: Moment, in tx: Transaction
    ) throws -> (session: Session, member: Member) {
        let credential = try credential(token, code: code)
        let parts = try tx.rows(SessionQueries.live(credential.session, app: app)) { try SessionQueries.LivePart($0) }
        let found = parts.first.map { (session: $0.session, refreshHash: $0.refreshHash) }
        let session = try verified(found, credential, key: key, code: code)
        try requireLive(session, code: code, at: moment)
        guard let member = MemberQueries.member(parts.map(\.member)) else { throw Refusal(.authNotExistMember) }
        return (session, member)
    }

    /// Uses the session: its idle deadline moves, but never past its end (SES-7).
    static func extend(
        _ session: Session, lifetimes: SessionLifetimes, at moment: Moment, in tx: Transaction
    ) throws -> Moment {
        let deadline = min(session.expiresAt, moment.adding(seconds: lifetimes.idleSeconds))
        try SessionQueries.touch(session, until: deadline, at: moment, in: tx)
        return deadline
    }

    /// The session of an access token with its member. A session that is over is refused, by the database: at once and on
    /// every node (SES-5).
    static func live(
        _ claims: AccessClaims, at moment: Moment, in database: Database
    ) async throws -> (session: Session, member: Member) {
        let parts = try await database.rows(SessionQueries.live(claims.session, app: claims.app)) {
            try SessionQueries.LivePart($0)
        }
        guard let session = parts.first?.session, let member = MemberQueries.member(parts.map(\.member)),
            session.user == claims.user, session.key == claims.key
        else {
            throw Refusal(
                .authInvalidGatehouseToken, "There is no such session.", reason: .sessionUnknown, audit: "token.refused"
            )
        }
        try requireLive(session, code: .authInvalidGatehouseToken, at: moment)
        return (session, member)
    }

    /// Ends the session of a refresh token. Ending it twice is no failure: the second call may be the retry of a first
    /// whose answer was lost (LOGOUT-2).
    static func logOut(
        _ token: RefreshToken, key: KeyThumbprint, app: AppID, at moment: Moment, in tx: Transaction
    ) throws -> (session: Session, hasEnded: Bool) {
        let credential = try credential(token, code: .authInvalidGatehouseToken)
        let found = try SessionQueries.session(credential.session, app: app, in: tx)
        let session = try verified(found, credential, key: key, code: .authInvalidGatehouseToken)
        return (session, try SessionQueries.end(session.id, app: app, reason: .loggedOut, at: moment, in: tx))
    }

    static func deleteOver(
        endedBefore end: Moment, createdBefore creation: Moment, limit: Int, in tx: Transaction
    ) throws -> Int {
        try SessionQueries.deleteOver(endedBefore: end, createdBefore: creation, limit: limit, in: tx)
    }

    private static func credential(_ token: RefreshToken, code: ErrorCode) throws -> RefreshCredential {
        guard let credential = RefreshCredential(token) else {
            throw Refusal(
                code, "The refresh token is not one of ours.", reason: .tokenMalformed, httpStatus: 401,
                audit: "token.refused")
        }
        return credential
    }

    /// The session, whatever its state, if the token is its own and the key the one that it is bound to.
    private static func verified(
        _ found: (session: Session, refreshHash: [UInt8])?, _ credential: RefreshCredential, key: KeyThumbprint,
        code: ErrorCode
    ) throws -> Session {
        guard let (session, refreshHash) = found, isSame(refreshHash, hash(credential)) else {
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

    private static func requireLive(_ session: Session, code: ErrorCode, at moment: Moment) throws {
        if let end = session.end {
            throw Refusal(code, "The session has ended.", reason: ErrorReason(end.rawValue), httpStatus: 401)
        }
        guard moment < session.idleExpiresAt, moment < session.expiresAt else {
            throw Refusal(code, "The session has expired.", reason: .sessionExpired, httpStatus: 401)
        }
    }

    private static func hash(_ credential: RefreshCredential) -> [UInt8] {
        Array(SHA256.hash(data: Data(credential.token.secretValue.utf8)))
    }

    /// Compares in a time that does not depend on the content (INP-8).
    static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
