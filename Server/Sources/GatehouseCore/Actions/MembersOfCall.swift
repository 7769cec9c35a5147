import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// The bound on members that one call of a game server is about.
package enum MembersOfCall {
    static let maximum = 300

    package static func check<Name>(_ names: [Name]) throws {
        guard names.count <= maximum else {
            throw Refusal(.invalidParameter, "A call names at most \(maximum).", httpStatus: 413)
        }
    }

    /// The distinct names in their original order.
    static func distinct<Name: Hashable>(_ names: [Name]) throws -> [Name] {
        try check(names)
        var seen = Set<Name>(minimumCapacity: names.count)
        return names.filter { seen.insert($0).inserted }
    }
}

extension Work {
    /// Changes all members in one transaction, in a fixed order, so that two calls with the same members don't deadlock.
    ///
    /// - Parameter check: what is checked once for all of them.
    /// - Returns: the members for which the rule has returned false.
    func changing(
        _ users: [UserID], _ check: @escaping @Sendable (Change, Transaction) throws -> Void = { _, _ in },
        _ rule: @escaping @Sendable (UserID, Change, Transaction) throws -> Bool
    ) async throws -> MembersOutcome {
        guard (1...MembersOfCall.maximum).contains(users.count) else {
            throw Refusal.parameter("userIds", "A call is about 1 to \(MembersOfCall.maximum) members.")
        }
        let sorted = Set(users).sorted { $0.rawValue < $1.rawValue }
        return MembersOutcome(
            failedUserIds: try await transactOnce { change, tx in
                try check(change, tx)
                return try sorted.filter { user in try !rule(user, change, tx) }
            })
    }
}
