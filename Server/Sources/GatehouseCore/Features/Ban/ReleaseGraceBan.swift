import GatehouseSecurity
import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

/// Ends a member's grace ban without a ban.
package struct ReleaseGraceBan: OperatorAction {
    package static let permission = Permission.serve(.moderate)
    package static let about = OperatorActionAbout(
        "grace-ban.released", role: .operator, step: .confirmed, section: "grace-bans", leadsToSection: true)

    let user: UserID

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package init(user: UserID) {
        self.user = user
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let open = try GraceBanRules.open(of: user, view, in: tx)
        return Preview(
            Phrase("grace.release-title", ["user": .user(user)]),
            [
                Phrase("grace.release-what", ["end": .banEnd(Moment(milliseconds: open.gracePeriodDate))]),
                "grace.release-payments",
            ], undo: "grace.release-undo")
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transactOnce { change, tx in
            try GraceBanRules.release(user, change, in: tx)
            return Empty()
        }
    }
}
