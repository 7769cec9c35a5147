public import GatehouseSecurity
package import GatehouseStorage
public import GatehouseWire

/// Gives a guest a new transfer account, or only a new password, for a player who has lost it or the device itself.
package struct ReissueTransferAccount: OperatorAction {
    /// What is new, as the form names it.
    private enum Kind: String {
        case both, password

        var target: TransferRenewal.Target { self == .both ? .idAndPassword : .password }
    }

    package static let about = OperatorActionAbout("transfer.reissued", role: .support, step: .fresh)
    package static let inputs: [Input<Self>] = [
        Input { action, context, tx in
            let kinds: [Kind] = try action.hasOne(context, in: tx) ? [.both, .password] : [.both]
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

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(target: TransferRenewal.Target, user: UserID) {
        self.target = target
        self.user = user
    }

    private func hasOne(_ context: OperatorContext, in tx: Reader) throws -> Bool {
        try TransferQueries.account(of: user, app: context.app.id, in: tx) != nil
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        guard try context.account(of: user, in: tx).mappings.map(\.provider) == [.guest] else {
            throw ImpossibleAction(phrase: "problem.not-guest", parameter: "user")
        }
        let hasOne = try hasOne(context, in: tx)
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

/// Resets the failed attempts of a member's transfer account. A block of the device that has tried ends by itself.
package struct UnblockTransferAccount: OperatorAction {
    package static let about = OperatorActionAbout("transfer.unblocked", role: .support, step: .confirmed)

    let user: UserID

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(user: UserID) {
        self.user = user
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let account = try TransferQueries.account(of: user, app: context.app.id, in: tx)
        guard let count = account?.failedAttempts, count > 0 else {
            throw ImpossibleAction(phrase: "problem.not-blocked", parameter: "user")
        }
        return Preview(
            Phrase("transfer-unblock.title", ["user": .user(user)]),
            [Phrase("transfer-unblock.what", ["count": .count(count)]), "transfer-unblock.device"],
            undo: "transfer-unblock.undo")
    }

    /// False when no attempt had failed.
    package func perform(_ work: Work) async throws -> Bool {
        try await work.transact { change, tx in try TransferRules.unblock(user, change, in: tx) }
    }
}

/// Deletes a member's transfer account and its transfer keys, for an operator: nobody can move to another device with them any more.
package struct VoidTransferAccount: OperatorAction {
    package static let about = OperatorActionAbout("transfer.voided", role: .support, step: .fresh)

    let user: UserID

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(user: UserID) {
        self.user = user
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        guard try TransferQueries.account(of: user, app: context.app.id, in: tx) != nil else {
            throw ImpossibleAction(phrase: "transfer.none", parameter: "user")
        }
        var preview = Preview(
            Phrase("transfer-void.title", ["user": .user(user)]), ["transfer-void.what", "transfer-void.keeps"],
            undo: "transfer-void.undo")
        preview.isDangerous = true
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            guard try TransferRules.void(user, change, in: tx) else { throw Refusal(.authTransferAccountNotExist) }
        }
    }
}

/// A member's transfer account for operators, without its password, because only a hash is stored.
public struct TransferReport: Sendable {
    public let account: TransferAccount
    public let usedAt: Moment?
    /// Wrong passwords in a row.
    public let failedAttempts: Int
    /// The end of the block; nil if the account is not blocked.
    public let blockedUntil: Moment?
}

extension UseCase where Self == Read<TransferReport?> {
    /// A member's transfer account; nil if the member has none.
    package static func transferReport(of user: UserID) -> Self {
        Read { context, tx in
            guard let stored = try TransferQueries.account(of: user, app: context.app.id, in: tx) else { return nil }
            let end = stored.blockedUntil.flatMap { context.moment < $0 ? $0 : nil }
            return TransferReport(
                account: stored.shown(nil), usedAt: stored.usedAt, failedAttempts: stored.failedAttempts,
                blockedUntil: end)
        }
    }
}
