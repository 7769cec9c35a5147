import GatehouseProviders
import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Restores a missing member with one of its former identities.
package struct RestoreMember: OperatorAction {
    package static let about = OperatorActionAbout("member.restored", role: .support, step: .fresh)

    let user: UserID
    /// Nil for the identity that left last.
    let provider: Provider?

    package init(on target: ActionTarget) throws {
        self.init(user: try target.requireMember(), provider: nil)
    }

    package var subject: ActionTarget { .member(user) }

    package init(user: UserID, provider: Provider?) {
        self.user = user
        self.provider = provider
    }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        report.member.status == .missing && !report.formerProviders.isEmpty ? .primary : nil
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        guard let plan = try RestorationPlan(of: user, with: provider, context.call, in: tx) else {
            throw ImpossibleAction(phrase: "problem.not-restorable", parameter: "user")
        }
        var preview = Preview(
            Phrase("restore.title", ["user": .user(user)]), consequences(of: plan),
            undo: plan.other == nil ? "restore.undo-alone" : "restore.undo")
        preview.table = members(of: plan)
        return preview
    }

    /// What it does to both members.
    private func consequences(of plan: RestorationPlan) -> [Phrase] {
        let idp = Phrase.Value.providers([plan.provider])
        var phrases = [Phrase("restore.what", ["user": .user(user), "idp": idp])]
        if let other = plan.other {
            let key =
                switch other.outcome {
                case .keepsOthers: "restore.other.keeps"
                case .isGuestAgain: "restore.other.guest"
                case .isFrozen: "restore.other.frozen"
                }
            phrases += [
                Phrase(key, ["other": .user(other.user), "idp": idp, "idps": .providers(other.providers)]),
                Phrase("restore.sessions", ["count": .count(other.sessions), "other": .user(other.user)]),
            ]
        } else {
            phrases.append(Phrase("restore.nobody", ["idp": idp]))
        }
        return phrases + [Phrase("restore.until", ["end": .moment(plan.until), "left": .distance(plan.until)])]
    }

    /// Both members, as they are now and as they will be.
    private func members(of plan: RestorationPlan) -> Preview.Table {
        var rows: [[Preview.Cell]] = [[.member(user, isKnown: true), .providers([]), .providers([plan.provider])]]
        if let other = plan.other {
            let now = [plan.provider] + (other.outcome == .keepsOthers ? other.providers : [])
            rows.append([.member(other.user, isKnown: true), .providers(now), .providers(other.providers)])
        }
        return Preview.Table(
            caption: "restore.members", columns: ["members.id", "restore.now", "restore.afterwards"], rows: rows)
    }

    package func perform(_ work: Work) async throws -> Restoration {
        try await work.transact { change, tx in
            try LifeRules.restore(user, with: provider, change, in: tx)
        }
    }

    package static func result(_ outcome: Restoration) -> ActionResult { ActionResult(other: outcome.other) }
}

/// What the restoration of a member would do to it and to the member that has its identity now (``LifeRules``).
struct RestorationPlan: Sendable {
    let provider: Provider
    /// The end of the time during which the member can be restored.
    let until: Moment
    /// The member that has the identity now, and what it keeps.
    let other: Other?

    struct Other: Sendable {
        let user: UserID
        let outcome: Restoration.Other
        /// The identity providers with which it can log in afterwards.
        let providers: [Provider]
        /// The number of its sessions that end, up to a hundred.
        let sessions: Int
    }

    /// Nil if the member can't be restored.
    ///
    /// - Parameter provider: nil for the identity that left last.
    init?(of user: UserID, with provider: Provider?, _ context: CallContext, in tx: Reader) throws {
        guard let found = try MemberQueries.account(user, app: context.app.id, in: tx), found.status == .missing else {
            return nil
        }
        let account = try MemberRules.withHolds(found, in: tx)
        let former = try FormerIdentityQueries.identities(of: user, app: context.app.id, at: context.moment, in: tx)
        guard let end = account.holds.restorableUntil, context.moment < end,
            let identity = former.first(where: { provider == nil || $0.provider == provider })
        else { return nil }
        let owner = try MemberQueries.owner(of: identity, app: context.app.id, in: tx)
        self.provider = identity.provider
        until = end
        other = try owner.flatMap { try Self.other($0, losing: identity.provider, context, in: tx) }
    }

    private static func other(
        _ user: UserID, losing provider: Provider, _ context: CallContext, in tx: Reader
    ) throws -> Other? {
        guard let holder = try MemberQueries.account(user, app: context.app.id, in: tx) else { return nil }
        var providers = holder.mappings.map(\.provider).filter { $0 != provider }
        var outcome = Restoration.Other.keepsOthers
        if providers.isEmpty {
            let guest = try LifeRules.returningGuest(of: holder, at: context.moment, in: tx)
            outcome = guest == nil ? .isFrozen : .isGuestAgain
            if guest != nil { providers = [.guest] }
        }
        let sessions = try SessionQueries.listed(
            of: holder, after: nil, createdSince: context.app.kickOut?.end ?? Moment(milliseconds: 0),
            idleAfter: context.moment, limit: 100, in: tx)
        let ending = sessions.filter { listed in
            SessionRules.lives(listed.session, holder, context)
                && (outcome == .isFrozen || listed.session.provider == provider)
        }
        return Other(user: user, outcome: outcome, providers: providers, sessions: ending.count)
    }
}

/// Shuts out who has got into a member's account: ends every session, and voids the transfer account and keys, at once. Without the second,
/// a stranger who knows the transfer password would move the guest again.
package struct SecureMember: OperatorAction {
    package static let about = OperatorActionAbout("member.secured", role: .support, step: .fresh)

    let user: UserID

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        KickOutMember.emphasis(on: report, for: actor)
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        var preview = Preview(
            Phrase("secure.title", ["user": .user(user)]), ["kick-out.what", "transfer-void.what", "secure.keeps"],
            undo: "transfer-void.undo")
        preview.isDangerous = true
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try KickOutRules.kickOut(user, message: LocalizedText([:]), change, in: tx)
            _ = try TransferRules.void(user, change, in: tx)
        }
    }
}
