import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Issues another access token for the session of a refresh token.
package struct RefreshSession: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> SessionRenewal {
        let (token, key) = try work.actor.requireRefreshToken()
        let view = work.view
        let lifetimes = work.services.issuer.lifetimes
        let protection = try view.keyProtection()
        let (session, deadline) = try await work.decide { change, tx in
            let (session, account) = try SessionRules.session(
                of: token, key: key, code: .authInvalidGatehouseToken, view, in: tx)
            try MemberRules.goingOn(account, change, in: tx)
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
            standing: StandingRules.standing(of: member, status: try await work.launchingStatus(), work.view),
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

extension Work {
    /// The caller's session and member, for an action that only reads.
    func livePlayer() async throws -> (session: Session, member: Member) {
        try await SessionRules.live(try actor.requireClaims(), view, in: services.database)
    }

    /// The app's status for the caller's device.
    package func launchingStatus() async throws -> LaunchingStatus {
        try await LaunchingRules.status(view, device: actor.key, in: services.database)
    }
}
