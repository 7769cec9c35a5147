package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Lists the sessions of the caller's own account: the devices that are logged in.
package struct ListOwnSessions: Action {
    package static let permission = Permission.play

    package init() {}

    package func perform(_ work: Work) async throws -> DeviceSessions {
        let (claims, view) = (try work.actor.requireClaims(), work.view)
        return try await work.read { tx in
            let (session, account) = try SessionRules.session(of: claims, view, in: tx)
            return try DeviceRules.list(for: session, account, view, in: tx)
        }
    }
}

/// Ends another session of the caller's own account.
package struct EndOwnSession: PlayerChange {
    let session: SessionID

    package init(session: SessionID) {
        self.session = session
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transactForPlayer { own, account, change, tx in
            try DeviceRules.end(session, by: own, account, change, in: tx)
            return Empty()
        }
    }
}

/// Ends all sessions of the caller's own account but the caller's.
package struct EndOtherSessions: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transactForPlayer { own, account, change, tx in
            try DeviceRules.endOthers(than: own, account, change, in: tx)
            return Empty()
        }
    }
}

/// Lists the sessions of a member, for a game server or an operator.
package struct ListMemberSessions: Action {
    package static let permission = Permission.serve(.profile)
    package static let role = OperatorRole.viewer

    let request: MemberSessionsRequest

    package init(request: MemberSessionsRequest) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> MemberSessions {
        let view = work.view
        return try await work.read { tx in
            try DeviceRules.list(of: request.userId, after: request.after, view, in: tx)
        }
    }
}
