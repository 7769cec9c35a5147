import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Gives a guest a new transfer account, or only a new password, for a player who has lost it or the device itself.
package struct ReissueTransferAccount: OperatorAction {
    /// What is new, as the form names it.
    private enum Kind: String {
        case both, password

        var target: TransferRenewal.Target { self == .both ? .idAndPassword : .password }
    }

    package static let about = OperatorActionAbout("transfer.reissued", role: .support, step: .fresh)
    package static let inputs: [Input<Self>] = [
        Input { action, view, tx in
            let kinds: [Kind] = try action.hasOne(view, in: tx) ? [.both, .password] : [.both]
            return [
                InputField(
                    name: "kind", label: "transfer-reissue.kind",
                    kind: .choice(
                        kinds.map {
                            .init(value: $0.rawValue, label: Phrase("transfer-reissue.kind.\($0.rawValue)"))
                        }), value: Kind.both.rawValue)
            ]
        } read: { action, values, _ in
            guard let kind = values.text("kind").flatMap({ Kind(rawValue: $0) }) else {
                throw InputProblems(["kind": "problem.choice"])
            }
            action.target = kind.target
        }
    ]

    /// A new password alone requires an existing pair.
    var target = TransferRenewal.Target.idAndPassword
    let user: UserID

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package init(target: TransferRenewal.Target, user: UserID) {
        self.target = target
        self.user = user
    }

    private func hasOne(_ view: OperatorView, in tx: Reader) throws -> Bool {
        try TransferQueries.account(of: user, app: view.app, in: tx) != nil
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        guard try view.account(of: user, in: tx).mappings.map(\.provider) == [.guest] else {
            throw ImpossibleAction(phrase: "problem.not-guest", parameter: "user")
        }
        let hasOne = try hasOne(view, in: tx)
        guard hasOne || target == .idAndPassword else { throw InputProblems(["kind": "problem.choice"]) }
        return Preview(
            Phrase("transfer-reissue.title", ["user": .user(user)]),
            [
                target == .password ? "transfer-reissue.what.password" : "transfer-reissue.what.both",
                hasOne ? "transfer-reissue.old" : "transfer-reissue.first", "transfer-reissue.once",
            ], undo: "transfer-reissue.undo")
    }

    package func perform(_ work: Work) async throws -> TransferAccount {
        try work.actor.origin.requireReason()
        let policy = try TransferRules.requirePolicy(work.app)
        let pair = try await work.transferPair(.automatic(target), policy)
        return try await work.transact { change, tx in
            try TransferRules.reissue(target, pair, for: user, change, in: tx)
        }
    }

    package static func result(_ outcome: TransferAccount) -> ActionResult {
        ActionResult(
            secrets: [("transfer.id", outcome.id), ("transfer.password", outcome.password?.secretValue ?? "–")],
            secretsEnd: outcome.expiryDate.map { Moment(milliseconds: $0) })
    }
}
