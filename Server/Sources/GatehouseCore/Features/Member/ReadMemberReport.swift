import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Reads what an operator may know of a member.
package struct ReadMemberReport: Report {
    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> MemberReport {
        let (app, moment) = (view.app.id, view.moment)
        let account = try MemberRules.known(user, app: app, in: tx)
        return MemberReport(
            member: try MemberRules.member(account, in: tx),
            ban: try account.holds.ban.flatMap { try HoldQueries.ban($0.id, app: app, in: tx) },
            restorableUntilDate: account.holds.restorableUntil?.milliseconds,
            formerProviders: account.status != .missing
                ? [] : try FormerIdentityQueries.identities(of: user, app: app, at: moment, in: tx).map(\.provider))
    }
}
