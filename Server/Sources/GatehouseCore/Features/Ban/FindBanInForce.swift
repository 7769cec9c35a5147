package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Finds the ban that was in force for a member at a moment; nil if there was none.
package struct FindBanInForce: Report {
    let user: UserID
    let date: Moment

    package init(of user: UserID, at date: Moment) {
        self.user = user
        self.date = date
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> BanRecord? {
        try BanQueries.bans(of: user, app: view.app.id, in: tx).first { ban in
            ban.beginsAt <= date && (ban.endsAt.map { date < $0 } ?? true)
                && (ban.release.map { date < $0.at } ?? true)
        }
    }
}
