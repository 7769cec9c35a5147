import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Restores a missing member with one of its former identities.
package struct RestoreMember: OperatorAction {
    package static let about = OperatorActionAbout("member.restored", role: .support, step: .fresh)

    let user: UserID
    /// Nil for the identity that left last.
    let provider: Provider?

    package init(on target: DeedTarget) throws {
        self.init(user: try target.requireMember(), provider: nil)
    }

    package var subject: DeedTarget { .member(user) }

    package init(user: UserID, provider: Provider?) {
        self.user = user
        self.provider = provider
    }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        report.member.status == .missing && !report.formerProviders.isEmpty ? .primary : nil
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        guard let plan = try RestorationPlan(of: user, with: provider, view.view, in: tx) else {
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
