public import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// A member's transfer account for operators, without its password, because only a hash is stored.
public struct TransferReport: Sendable {
    public let account: TransferAccount
    public let usedAt: Moment?
    /// Wrong passwords in a row.
    public let failedAttempts: Int
    /// The end of the block; nil if the account is not blocked.
    public let blockedUntil: Moment?
}

/// Reads a member's transfer account.
package struct ReadTransferReport: Report {
    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    /// Nil if the member has none.
    func read(_ view: Viewpoint, in tx: Reader) throws -> TransferReport? {
        let (app, moment) = (view.app.id, view.moment)
        guard let stored = try TransferQueries.account(of: user, app: app, in: tx) else { return nil }
        let end = stored.blockedUntil.flatMap { moment < $0 ? $0 : nil }
        return TransferReport(
            account: stored.shown(nil), usedAt: stored.usedAt, failedAttempts: stored.failedAttempts,
            blockedUntil: end)
    }
}
