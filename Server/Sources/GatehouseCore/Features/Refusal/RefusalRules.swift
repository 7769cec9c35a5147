import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Which refused calls are kept, for how long, and whose they were.
enum RefusalRules {
    static let keptSeconds: Int64 = 7 * 86_400
    /// Upper bound on the rows of an app. More than it may be kept by ``slack`` rows for each node.
    static let maximumRows = 200_000
    /// Upper bound on the rows of an app without a member.
    static let maximumStrangers = 50_000
    static let slack = 2_000

    /// The member that has called, as far as that is certain or proven by the device's key.
    static func user(of refusal: Refusal, _ caller: RefusedCaller, app: AppID, in tx: Reader) throws -> UserID? {
        if let user = caller.user { return user }
        if let ban = refusal.details.ban { return ban.userId }
        guard let key = caller.key else { return nil }
        if let session = caller.session {
            guard let found = try SessionQueries.session(session, app: app, in: tx)?.session, found.key == key else {
                return nil
            }
            return found.user
        }
        guard caller.provider == .guest else { return nil }
        return try MemberQueries.owner(of: .guest(key), app: app, in: tx)
    }

    /// The refused calls of a page of the member's entries, newest first.
    ///
    /// - Parameter areConflicts: only those because the identity belongs to another member, or only the others; nil for both.
    static func calls(
        of user: UserID, app: AppID, in ids: Range<String>, areConflicts: Bool?, limit: Int, in tx: Reader
    ) throws -> [RefusedCall] {
        try RefusalQueries.calls(of: user, app: app, in: ids, areConflicts: areConflicts, limit: limit, in: tx)
    }

    /// Which of these members leave nothing behind that leads to their devices, because they have withdrawn. The others can't withdraw
    /// before this transaction ends.
    static func withdrawn(of users: Set<UserID>, app: AppID, in tx: Transaction) throws -> Set<UserID> {
        // The order is fixed, so that two transactions with the same members don't deadlock.
        Set(
            try users.sorted { $0.rawValue < $1.rawValue }.filter {
                try !MemberQueries.lockUnlessWithdrawn($0, app: app, in: tx)
            })
    }

    /// The last row of an app that is one too many; nil if there are none. Calls without a member, which anybody can make, are bounded by
    /// themselves, so that they don't push out those of members.
    static func firstSurplus(of app: AppID, areStrangers: Bool, in tx: Reader) throws -> String? {
        try RefusalQueries.id(
            after: areStrangers ? maximumStrangers : maximumRows, of: app, areStrangers: areStrangers, in: tx)
    }

    /// Deletes what leads to a member: its calls, and those of its devices that nobody was known to have made.
    static func deleteAll(of account: Account, in tx: Draft) throws {
        try RefusalQueries.deleteAll(of: account.user, app: account.app, in: tx)
        try RefusalQueries.deleteAll(ofDevicesOf: account.user, app: account.app, in: tx)
    }
}
