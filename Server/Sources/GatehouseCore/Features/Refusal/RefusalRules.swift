import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Which refused calls are kept, for how long, and whose they were.
enum RefusalRules {
    static let keptSeconds: Int64 = 7 * 86_400
    /// Upper bound on the rows of an app. More than it may be kept by ``slack`` rows for each node.
    static let maximumRows = 200_000
    static let slack = 2_000

    /// The member that has called, as far as that is certain or proven by the device's key.
    static func user(of refusal: Refusal, _ caller: RefusedCaller, app: AppID, in tx: Reader) throws -> UserID? {
        if let user = caller.user { return user }
        if let ban = refusal.details[ErrorDetail.ban]?.objectValue, let user = ban["userId"]?.stringValue {
            return UserID(user)
        }
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

    static func hasWithdrawn(_ user: UserID, app: AppID, in tx: Reader) throws -> Bool {
        try MemberQueries.account(user, app: app, in: tx)?.status == .withdrawn
    }

    /// Deletes rows that are too old.
    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try RefusalQueries.deleteAll(
            before: TimeOrderedID.firstEntry(at: moment.adding(seconds: -keptSeconds)), limit: limit, in: tx)
    }

    /// The last row of an app that is one too many; nil if there are none.
    static func firstSurplus(of app: AppID, in tx: Reader) throws -> String? {
        try RefusalQueries.id(after: maximumRows, of: app, in: tx)
    }

    static func forget(upTo id: String, of app: AppID, limit: Int, in tx: Transaction) throws -> Int {
        try RefusalQueries.deleteAll(of: app, upTo: id, limit: limit, in: tx)
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try RefusalQueries.deleteAll(of: user, app: app, in: tx)
    }
}
