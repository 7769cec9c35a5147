package import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Lengthens or shortens a member's ban.
package struct ChangeBan: OperatorAction {
    package static let about = OperatorActionAbout(
        "ban.changed", role: .support, step: .confirmed, section: "bans", leadsToSection: true)
    package static let inputs: [Input<Self>] = [.banEnd(\.end)]

    let user: UserID
    /// The new end; nil for none.
    var end: Moment?

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package init(user: UserID, end: Moment?) {
        self.user = user
        self.end = end
    }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        actor.mayChangeBan(of: report) ? .plain : nil
    }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        _ = try BanRules.changeable(user, view, in: tx)
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let ban = try BanRules.changeable(user, view, in: tx)
        guard end != ban.endsAt else { throw InputProblems(["length": "problem.same-end"]) }
        let isShorter = end.map { new in ban.endsAt.map { new < $0 } ?? true } ?? false
        return Preview(
            Phrase("change-ban.title", ["user": .user(user)]),
            [
                Phrase("change-ban.now", ["end": .banEnd(ban.endsAt), "name": .text(ban.registeredBy)]),
                Phrase(isShorter ? "change-ban.shorter" : "change-ban.longer", ["end": .banEnd(end)]),
                Phrase("change-ban.begun", ["begin": .moment(ban.beginsAt)]),
            ], undo: "change-ban.undo")
    }

    package func perform(_ work: Work) async throws -> Empty {
        let role = work.actor.knownRole
        return try await work.transactOnce { change, tx in
            try BanRules.change(user, end: end, as: role, change, in: tx)
            return Empty()
        }
    }
}
