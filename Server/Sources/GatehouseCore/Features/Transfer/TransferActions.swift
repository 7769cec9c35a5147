import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Issues the id and the password with which the caller, a guest, can move to another device. It renews both if there are some.
package struct IssueTransferAccount: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> TransferAccount {
        let policy = try await work.admitIssuer()
        let pair = try await work.transferPair(.automatic(.idAndPassword), policy)
        return try await work.decideForPlayer { _, account, change, tx in
            try TransferRules.issue(pair, for: account, change, in: tx)
        }
    }
}

/// Renews the caller's transfer account, with generated texts or with the player's own.
package struct RenewTransferAccount: PlayerChange {
    let renewal: TransferRenewal

    package init(renewal: TransferRenewal) {
        var typed = renewal
        typed.id = renewal.id.map { TransferLetters.typed($0) }
        typed.password = renewal.password.map { TransferLetters.typed($0) }
        self.renewal = typed
    }

    package func perform(_ work: Work) async throws -> TransferAccount {
        let policy = try await work.admitIssuer()
        let pair = try await work.transferPair(renewal, policy)
        return try await work.decideForPlayer { _, account, change, tx in
            try TransferRules.renew(renewal.target, pair, for: account, change, in: tx)
        }
    }
}

/// Reads the caller's transfer account, without its password.
package struct QueryTransferAccount: Action {
    package static let permission = Permission.play

    package init() {}

    package func perform(_ work: Work) async throws -> TransferAccount {
        let claims = try work.actor.requireClaims()
        let view = work.view
        return try await work.read { tx in
            let (_, account) = try SessionRules.session(of: claims, view, settling: false, in: tx)
            return try TransferRules.query(account, view.app, in: tx)
        }
    }
}

extension Work {
    /// Checks the caller first, so that the expensive hash is computed only for permitted callers.
    fileprivate func admitIssuer() async throws -> TransferPolicy {
        let claims = try actor.requireClaims()
        let policy = try TransferRules.requirePolicy(app)
        try admit(.transfers)
        try await services.database.read { [view] tx in
            let (_, account) = try SessionRules.session(of: claims, view, settling: false, in: tx)
            try GuestMoveRules.requireGuest(account)
        }
        return policy
    }

    func transferPair(
        _ renewal: TransferRenewal, _ policy: TransferPolicy
    ) async throws -> TransferRules.Pair {
        try TransferRules.check(renewal, policy)
        let password =
            renewal.password
            ?? TransferPassword(TransferLetters.generate(policy.password, random: services.random))
        return TransferRules.Pair(
            id: renewal.id, password: password,
            hash: try await services.hasher.hash(password.secretValue, for: hashOrigin, random: services.random),
            issued: renewal.password == nil ? .automatic : .manual)
    }

    /// The origin whose share of the hash queue is used: a player's network, or the app for everybody else.
    var hashOrigin: HashShares.Origin {
        HashShares.Origin(
            app: app.id, network: actor.key == nil || context.address == .unknown ? nil : context.address.network)
    }
}
