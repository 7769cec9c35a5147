import GatehousePlatform
package import GatehouseWire

extension DeedRecord {
    /// The bans that an action about a list has begun.
    package var begunBans: [(user: UserID, ban: String)] {
        guard let before, let after else { return [] }
        return after.listedUsers.compactMap { user in
            let ban = after.values["\(user).ban"]
            return ban == before.values["\(user).ban"] ? nil : ban.map { (user: user, ban: $0) }
        }
    }

    /// The members whose bans it has released.
    package var endedBans: [UserID] {
        guard let before, let after else { return [] }
        return before.listedUsers.filter {
            before.values["\($0).ban"] != nil && after.values["\($0).ban"] == nil
        }
    }
}

extension DeedState {
    /// The members of a list's state, as far as they exist.
    package var listedUsers: [UserID] {
        values.keys.filter { $0.ends(with: ".status") }.map { UserID(String($0.dropLast(".status".count))) }
            .sorted { $0.rawValue < $1.rawValue }
    }
}
