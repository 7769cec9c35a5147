package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// A device on which a member has been logged in.
package struct MemberDevice: Sendable, Hashable {
    package let key: KeyThumbprint
    /// What it has said of itself at the last login; nil if nothing.
    package let client: ClientInformation?
    package let usedAt: Moment
    /// The other members of the device, as many as are looked for.
    package let others: [UserID]
}

/// Lists a member's devices, that of the last use first, each with the other members who have been logged in on it.
package struct ListMemberDevices: Report {
    /// Upper bound on the devices of a member.
    private static let limit = 20

    let user: UserID

    package init(of user: UserID) {
        self.user = user
    }

    func read(_ context: CallContext, in tx: Reader) throws -> [MemberDevice] {
        let app = context.app.id
        return try SessionQueries.devices(of: user, app: app, limit: Self.limit, in: tx).map { key, usedAt in
            let client = try SessionQueries.client(of: user, on: key, app: app, in: tx)
            return MemberDevice(
                key: key, client: client.flatMap { ClientInformation(headerValue: $0) }, usedAt: usedAt,
                others: try ListDeviceMembers.members(of: key, app: app, in: tx).map(\.user).filter { $0 != user })
        }
    }
}

/// Lists the members who have been logged in on a device, or who are its guest.
package struct ListDeviceMembers: Report {
    /// Upper bound on the members of a device.
    package static let limit = 100

    let key: KeyThumbprint

    package init(on key: KeyThumbprint) {
        self.key = key
    }

    package struct Row: Sendable, Hashable {
        package let user: UserID
        package let status: MemberStatus
        package let registeredAt: Moment
        /// The last use of a session on the device; nil if no session is kept.
        package let usedAt: Moment?
        /// Whether the device's key is the member's guest identity.
        package let isGuest: Bool
    }

    func read(_ context: CallContext, in tx: Reader) throws -> [Row] {
        try Self.members(of: key, app: context.app.id, in: tx).compactMap { member in
            try MemberQueries.account(member.user, app: context.app.id, in: tx).map { account in
                Row(
                    user: member.user, status: account.status,
                    registeredAt: Moment(milliseconds: account.registrationDate),
                    usedAt: member.usedAt, isGuest: member.isGuest)
            }
        }
    }

    fileprivate static func members(
        of key: KeyThumbprint, app: AppID, in tx: Reader
    ) throws -> [(user: UserID, usedAt: Moment?, isGuest: Bool)] {
        let guest = try MemberQueries.holders(ofSubject: key.rawValue, app: app, in: tx)
            .first { $0.provider == .guest }?.user
        var members = try SessionQueries.members(ofDevice: key, app: app, limit: limit, in: tx).map {
            (user: $0.user, usedAt: Moment?.some($0.usedAt), isGuest: $0.user == guest)
        }
        if let guest, !members.contains(where: { $0.user == guest }) {
            let used = try SessionQueries.devices(of: guest, app: app, limit: limit, in: tx).first { $0.key == key }
            members.insert((guest, used?.usedAt, true), at: 0)
        }
        return members
    }
}

/// Finds what connects two members: the devices of both, and the identities that went from one to the other.
package struct CompareMembers: Report {
    /// Upper bound on the entries of the ledger that are looked at, the newest first.
    private static let maximumEntries = 1_000

    let user: UserID
    let other: UserID

    package init(_ user: UserID, with other: UserID) {
        self.user = user
        self.other = other
    }

    package struct Outcome: Sendable {
        package let devices: [KeyThumbprint]
        /// Entries of the first member's ledger, newest first.
        package let moves: [LedgerEntry]
    }

    func read(_ context: CallContext, in tx: Reader) throws -> Outcome {
        func keys(_ user: UserID) throws -> [KeyThumbprint] {
            try SessionQueries.devices(of: user, app: context.app.id, limit: 1_000, in: tx).map(\.key)
        }
        let others = Set(try keys(other))
        let entries = try LedgerQueries.entries(
            of: user, app: context.app.id, before: nil, limit: Self.maximumEntries, in: tx)
        return Outcome(
            devices: try keys(user).filter(others.contains),
            moves: entries.filter { [$0.details["fromUserId"], $0.details["toUserId"]].contains(other.rawValue) })
    }
}
