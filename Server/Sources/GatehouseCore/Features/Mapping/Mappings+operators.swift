import GatehousePlatform
import GatehouseProviders
package import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Changes of mappings by operators, for players who can't make them.
extension MappingRules {
    /// Removes an identity from a member, whose sessions with it end. The last one stays, because nobody could log in as the member.
    static func remove(_ provider: Provider, of user: UserID, _ change: Change, in tx: Transaction) throws {
        try change.origin.requireReason()
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        try requireRemovable(provider, of: account)
        try MemberQueries.step(account, in: tx)
        try IdentityTokenRules.revoke(provider, of: user, at: .removal, change, in: tx)
        try MemberRules.removeIdentity(provider, of: account, change, in: tx)
        try change.record(.mappingRemoved(provider), of: user, in: tx)
    }

    static func requireRemovable(_ provider: Provider, of account: Account) throws {
        guard account.has(provider) else {
            throw Refusal(.authRemoveMappingFailed, "The member has no mapping of this identity provider.")
        }
        guard account.mappings.count > 1 else { throw Refusal(.authRemoveMappingLastMappedIDP) }
    }

    /// Moves an identity from one member to another, as a forced mapping does. If the first has no other identity, it is frozen and can be
    /// restored for a limited time.
    static func move(
        _ provider: Provider, from holder: UserID, to user: UserID, _ change: Change, in tx: Transaction
    ) throws {
        try change.origin.requireReason()
        try requireOther(user, than: holder)
        let app = change.app.id
        let (account, other) = try MemberRules.take(user, and: holder, app: app, at: change.moment, in: tx)
        try requireMovable(provider, from: other, to: account, at: change.moment)
        guard let key = try MemberQueries.identity(provider, of: holder, app: app, in: tx) else {
            throw StorageError.conflict
        }
        try detach(key, from: other, to: user, change, in: tx)
        try MemberQueries.step(account, in: tx)
        let endsGuest = account.isPureGuest
        if endsGuest {
            try LifeRules.rememberGuest(of: account, change, in: tx)
            try MemberRules.removeIdentity(.guest, of: account, change, in: tx)
        }
        try MemberQueries.insertIdentity(key, of: account, at: change.moment, in: tx)
        try change.record(.mappingMovedHere(provider, from: holder, endsGuest: endsGuest), of: user, in: tx)
    }

    /// The members of a move that can be made: the one that gets the identity, and the one that has it.
    static func movable(
        _ provider: Provider, from holder: UserID, to user: UserID, _ context: CallContext, in tx: Reader
    ) throws -> (account: Account, other: Account) {
        try requireOther(user, than: holder)
        let app = context.app.id
        guard let holder = try MemberQueries.account(holder, app: app, in: tx),
            let user = try MemberQueries.account(user, app: app, in: tx)
        else { throw Refusal(.authNotExistMember) }
        let other = try MemberRules.current(holder, at: context.moment, in: tx)
        let account = try MemberRules.current(user, at: context.moment, in: tx)
        try requireMovable(provider, from: other, to: account, at: context.moment)
        return (account, other)
    }

    private static func requireOther(_ user: UserID, than holder: UserID) throws {
        guard holder != user else { throw Refusal.parameter("to", "An identity moves to another member.") }
    }

    private static func requireMovable(
        _ provider: Provider, from holder: Account, to account: Account, at moment: Moment
    ) throws {
        guard provider != .guest else { throw Refusal(.authAddMappingCannotAddGuestIDP) }
        guard holder.has(provider) else {
            throw Refusal(.authRemoveMappingFailed, "The member has no mapping of this identity provider.")
        }
        guard !account.isGone else {
            throw Refusal(.authNotExistMember, "The other member has withdrawn or lost its last identity.")
        }
        guard !account.has(provider) else { throw Refusal(.authAddMappingAlreadyHasSameIDP) }
        // Otherwise somebody could escape a ban with the help of the game's support.
        guard !holder.isBanned(at: moment) else {
            throw Refusal(.bannedMember, "The member that has the identity is banned.")
        }
    }
}

/// Moves an identity from one member to another, for an operator.
package struct MoveMemberMapping: OperatorAction {
    package static let about = OperatorActionAbout("mapping.moved", role: .operator, step: .fresh)
    package static let inputs: [Input<Self>] = [
        .identityProvider(\.provider),
        Input { action, _, _ in
            [
                InputField(
                    name: "to", label: "mapping-move.to", kind: .text, value: action.user.rawValue,
                    help: "mapping-move.to-help", isRequired: true, limit: 40)
            ]
        } read: { action, values, _ in
            action.user = try other(values)
        },
    ]

    var provider = Provider("")
    let holder: UserID
    var user = UserID("")

    package init(on target: ActionTarget) throws {
        holder = try target.requireMember()
    }

    package var subject: ActionTarget { .member(holder) }

    package init(_ provider: Provider, from holder: UserID, to user: UserID) {
        self.provider = provider
        self.holder = holder
        self.user = user
    }

    /// The other member, as it was typed: in groups or in small letters.
    private static func other(_ values: InputValues) throws -> UserID {
        let id = (values.text("to") ?? "").typedID
        guard id.utf8.count == UserID.length, id.allSatisfy({ UserID.alphabet.contains($0) }) else {
            throw InputProblems(["to": "problem.user-id"])
        }
        return UserID(id)
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let (account, other): (Account, Account)
        do {
            (account, other) = try MappingRules.movable(provider, from: holder, to: user, context.call, in: tx)
        } catch let refusal as Refusal where refusal.status < 500 {
            throw InputProblems(["to": Phrase("problem.code.\(refusal.code.rawValue)")])
        }
        let freezes = other.mappings.count == 1
        let values: [String: Phrase.Value] = [
            "user": .user(holder), "other": .user(user), "idp": .providers([provider]),
            "count": .count(context.app.policy.restoreDays),
        ]
        var preview = Preview(
            Phrase("mapping-move.title", values),
            [
                Phrase("mapping-move.what", values),
                Phrase(freezes ? "mapping-move.freezes" : "mapping-move.keeps", values),
            ], undo: Phrase(freezes ? "mapping-move.undo-restore" : "mapping-move.undo", values))
        if account.isPureGuest { preview.consequences.append(Phrase("mapping-move.guest", values)) }
        preview.isDangerous = true
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try MappingRules.move(provider, from: holder, to: user, change, in: tx)
        }
    }
}

/// Removes an identity from a member, for an operator.
package struct RemoveMemberMapping: OperatorAction {
    package static let about = OperatorActionAbout("mapping.removed", role: .operator, step: .fresh)
    package static let inputs: [Input<Self>] = [.identityProvider(\.provider)]

    var provider = Provider("")
    let user: UserID

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(_ provider: Provider, of user: UserID) {
        self.provider = provider
        self.user = user
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let account = try context.account(of: user, in: tx)
        do {
            try MappingRules.requireRemovable(provider, of: account)
        } catch let refusal as Refusal {
            throw ImpossibleAction(phrase: Phrase("problem.code.\(refusal.code.rawValue)"), parameter: "idp")
        }
        let values: [String: Phrase.Value] = [
            "user": .user(user), "idp": .providers([provider]),
            "idps": .providers(account.mappings.map(\.provider).filter { $0 != provider }),
        ]
        var preview = Preview(
            Phrase("mapping-remove.title", values),
            [
                Phrase("mapping-remove.what", values), Phrase("mapping-remove.sessions", values),
                Phrase("mapping-remove.free", values),
            ], undo: Phrase("mapping-remove.undo", values))
        preview.isDangerous = true
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try MappingRules.remove(provider, of: user, change, in: tx) }
    }
}

extension Input {
    /// The identity provider of a member's identity, which the address names.
    static func identityProvider(_ path: any WritableKeyPath<A, Provider> & Sendable) -> Self {
        Input { action, values, _ in
            action[keyPath: path] = Provider(try values.name("idp", "identity provider"))
        }
    }
}

/// A member that a refused mapping was about.
package struct MappingConflictParty: Sendable, Hashable {
    package let user: UserID
    package let status: MemberStatus
    /// When the identity left the member; nil for the one that had it.
    package let until: Moment?
}

extension UseCase where Self == Read<[MappingConflictParty]> {
    /// The members that a refused mapping (3302) was about, as far as that is still known: the one that had the identity, and three at most
    /// that had it before.
    ///
    /// - Parameters:
    ///   - user: the member that wanted the identity.
    ///   - date: the moment of the refused call.
    package static func mappingConflict(of user: UserID, with provider: Provider, at date: Moment) -> Self {
        Read { context, tx in
            let app = context.app.id
            guard let found = try TicketQueries.conflict(of: user, with: provider, app: app, at: date, in: tx) else {
                return []
            }
            let former = try FormerIdentityQueries.holders(ofSubject: found.subject, app: app, limit: 3, in: tx)
                .filter { $0.provider == provider && $0.user != found.holder }
            let users = [(found.holder, nil)] + former.map { ($0.user, Optional($0.until)) }
            return try users.compactMap { user, until in
                try MemberQueries.account(user, app: app, in: tx).map {
                    MappingConflictParty(user: user, status: $0.status, until: until)
                }
            }
        }
    }
}
