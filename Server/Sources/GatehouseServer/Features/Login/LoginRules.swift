import GatehouseStorage
import GatehouseWire

/// Who gets in, as whom (LOGIN-1, LOGIN-4, LOGIN-11). Everything that needs the network was verified before.
enum LoginRules {
    /// What a login is decided by.
    struct Input: Sendable {
        let app: App
        let identity: VerifiedIdentity
        /// The device's key, which the session will be bound to.
        let key: KeyThumbprint
        let languages: [String]
        let lifetimes: SessionLifetimes
    }

    /// What a login has brought about.
    struct Outcome: Sendable, Codable {
        let member: Member
        let provider: Provider
        let status: LaunchingStatus
        let sessionID: SessionID
        let sessionCreatedAt: Int64
        let sessionExpiryDate: Int64
        let isNewMember: Bool
        /// Only of a new session.
        let refreshToken: RefreshToken?
    }

    static func logIn(
        _ input: Input, at moment: Moment, random: RandomSource, in tx: Transaction
    ) throws -> Outcome {
        let status = try LaunchingRules.requirePlayable(
            input.app, device: input.key, languages: input.languages, at: moment, in: tx)
        let (member, isNew) = try MemberRules.logIn(
            input.identity, app: input.app.id, at: moment, random: random, in: tx)
        let (session, refreshToken) = try SessionRules.open(
            member: member.userId, app: input.app.id, provider: input.identity.provider, key: input.key,
            lifetimes: input.lifetimes, at: moment, random: random, in: tx)
        return Outcome(
            member: member, provider: session.provider, status: status, sessionID: session.id,
            sessionCreatedAt: session.createdAt.milliseconds, sessionExpiryDate: session.idleExpiresAt.milliseconds,
            isNewMember: isNew, refreshToken: refreshToken)
    }

    /// Continues the session of a refresh token: no identity provider, no page (LOGIN-8).
    static func logInWithLastProvider(
        _ token: RefreshToken, key: KeyThumbprint, app: App, languages: [String], lifetimes: SessionLifetimes,
        at moment: Moment, in tx: Transaction
    ) throws -> Outcome {
        let (session, stored) = try SessionRules.liveSession(
            of: token, key: key, app: app.id, code: .authTokenLoginInvalidTokenInfo, at: moment, in: tx)
        let status = try LaunchingRules.requirePlayable(app, device: key, languages: languages, at: moment, in: tx)
        let deadline = try SessionRules.extend(session, lifetimes: lifetimes, at: moment, in: tx)
        let member = try MemberRules.returning(stored, at: moment, in: tx)
        return Outcome(
            member: member, provider: session.provider, status: status, sessionID: session.id,
            sessionCreatedAt: session.createdAt.milliseconds, sessionExpiryDate: deadline.milliseconds,
            isNewMember: false, refreshToken: nil)
    }
}
