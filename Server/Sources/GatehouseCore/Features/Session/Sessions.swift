import GatehouseJSON
import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Issues another access token for the session of a refresh token.
package struct RefreshSession: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> SessionRenewal {
        let (token, key) = try work.actor.requireRefreshToken()
        let context = work.context
        let lifetimes = work.services.issuer.lifetimes
        let protection = try context.keyProtection()
        let (session, deadline) = try await work.decide { change, tx in
            let (session, account) = try SessionRules.session(
                of: token, key: key, code: .authInvalidGatehouseToken, context, in: tx)
            try MemberRules.recordActivity(account, change, in: tx)
            let deadline = try SessionRules.extend(
                session, lifetimes: lifetimes, protection: protection, change, in: tx)
            return (session, deadline)
        }
        return SessionRenewal(
            session: try work.services.issuer.tokens(
                for: TokenSubject(session), refreshToken: nil, sessionExpiry: deadline, keys: work.context.keys,
                at: work.moment),
            serverDate: work.moment.milliseconds)
    }
}

/// Tells a running game whether its player may go on.
package struct SendHeartbeat: Action {
    package static let permission = Permission.play

    package init() {}

    package func perform(_ work: Work) async throws -> Heartbeat {
        let (_, member) = try await work.livePlayer()
        return Heartbeat(
            standing: StandingRules.standing(of: member, status: try await work.launchingStatus(), work.context),
            nextHeartbeatSeconds: LaunchingRules.heartbeatSeconds, serverDate: work.moment.milliseconds)
    }
}

/// Ends the session of a refresh token.
package struct LogOut: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> Empty {
        let (token, key) = try work.actor.requireRefreshToken()
        try await work.decide { change, tx in try SessionRules.logOut(token, key: key, change, in: tx) }
        return Empty()
    }
}

/// Ends the sessions of a member, or of all members. In the console support ends those of one member, and an operator all.
package struct KickOut: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.support

    /// Nil for all members.
    let user: UserID?
    /// What the players read, by language.
    let message: [String: String]

    package init(user: UserID?, message: [String: String]) {
        self.user = user
        self.message = message
    }

    package var audited: AuditedRun? { AuditedRun(on: user.map { ActionTarget.member($0) } ?? .app) }

    package func perform(_ work: Work) async throws -> Empty {
        if user == nil { try work.actor.require(Self.permission, as: .operator) }
        return try await work.kickOut(user, message: message)
    }
}

extension Work {
    /// Ends the sessions of a member, or of all members.
    func kickOut(_ user: UserID?, message: [String: String]) async throws -> Empty {
        try await transact(once: .replayed) { change, tx in
            try KickOutRules.kickOut(user, message: LocalizedText(message), change, in: tx)
            return Empty()
        }
    }
}

/// Ends sessions at the request of an operator or a game server (BAN-5).
enum KickOutRules {
    /// Ends the sessions of one member or of all members.
    static func kickOut(
        _ user: UserID?, message: LocalizedText, _ change: Change, in tx: Transaction
    ) throws {
        try change.origin.requireName()
        guard message.texts.count <= 32, message.texts.allSatisfy({ $0.value.utf8.count <= 2_000 }) else {
            throw Refusal.parameter("message", "A message has at most 32 languages and 2000 bytes in each.")
        }
        guard let user else {
            _ = try AppRules.change(change.app.id, in: tx) { app in
                // The clock of the node that made the previous kick-out may be ahead. Sessions that it ended must stay ended.
                app.kickOut = .init(at: max(change.moment, app.kickOut?.at ?? change.moment), message: message)
            }
            return try change.record(.everyoneKickedOut, in: tx)
        }
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        guard !account.isGone else { throw Refusal(.authNotExistMember) }
        try SessionRules.endAll(of: account, .init(reason: .kickedOut, message: message), change, in: tx)
        try change.record(.kickedOut, of: user, in: tx)
    }
}

/// Lists the revocations of access tokens, signed with the app's key, so that the list can be forwarded and still be trusted.
package struct ListRevocations: Action {
    package static let permission = Permission.serve(.check)

    let request: RevocationsRequest

    package init(request: RevocationsRequest) {
        self.request = request
    }

    /// How often a game server should ask.
    private static let intervalSeconds = 5

    package func perform(_ work: Work) async throws -> SignedRevocations {
        if let cursor = request.cursor, cursor.utf8.count > 64 {
            throw Refusal.parameter("cursor", "The cursor is the one of the list before.")
        }
        // App, keys and list are read in one transaction, so that a list never contains the key that signed it, and never lacks a
        // revocation from before the request.
        let vault = work.services.vault
        let lifetime = work.services.issuer.lifetimes.accessTokenSeconds
        let (id, languages, moment) = (work.app.id, work.context.languages, work.moment)
        let ((list, cursor), keys) = try await work.read { tx in
            guard let app = try AppQueries.app(id, in: tx) else { throw AppRules.unknownApp }
            let context = CallContext(app: app, languages: languages, moment: moment)
            let list = try RevocationRules.list(since: request, tokenLifetimeSeconds: lifetime, context, in: tx)
            return (list, try KeyRules.keys(of: id, vault: vault, tokenLifetimeSeconds: lifetime, in: tx))
        }
        guard let key = keys.signing(at: moment) else { throw Refusal(.serverInternalError) }
        let text = String(decoding: try JSONWriter.bytes(of: list), as: UTF8.self)
        let token = try CompactJWS.sign(
            header: key.header(type: RevocationList.tokenType), claims: text, with: key.privateKey)
        return SignedRevocations(
            revocations: token, cursor: cursor, nextSeconds: list.isComplete ? Self.intervalSeconds : 0,
            jwks: KeySet(keys: keys.published(at: moment).map(\.published)))
    }
}
