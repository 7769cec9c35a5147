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

extension UseCase where Self == Read<[MemberDevice]> {
    /// A member's devices, 20 at most, that of the last use first, each with the other members who have been logged in on it.
    package static func devices(of user: UserID) -> Self {
        Read { context, tx in
            let app = context.app.id
            return try SessionQueries.devices(of: user, app: app, limit: 20, in: tx).map { key, usedAt in
                let client = try SessionQueries.client(of: user, on: key, app: app, in: tx)
                return MemberDevice(
                    key: key, client: client.flatMap { ClientInformation(headerValue: $0) }, usedAt: usedAt,
                    others: try DeviceMember.members(of: key, app: app, in: tx).map(\.user).filter { $0 != user })
            }
        }
    }
}

/// A member who has been logged in on a device, or who is its guest.
package struct DeviceMember: Sendable, Hashable {
    /// Upper bound on the members of a device.
    package static let limit = 100

    package let user: UserID
    package let status: MemberStatus
    package let registeredAt: Moment
    /// The last use of a session on the device; nil if no session is kept.
    package let usedAt: Moment?
    /// Whether the device's key is the member's guest identity.
    package let isGuest: Bool

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

extension UseCase where Self == Read<[DeviceMember]> {
    /// The members who have been logged in on a device, or who are its guest.
    package static func members(on key: KeyThumbprint) -> Self {
        Read { context, tx in
            try DeviceMember.members(of: key, app: context.app.id, in: tx).compactMap { member in
                try MemberQueries.account(member.user, app: context.app.id, in: tx).map { account in
                    DeviceMember(
                        user: member.user, status: account.status,
                        registeredAt: Moment(milliseconds: account.registrationDate),
                        usedAt: member.usedAt, isGuest: member.isGuest)
                }
            }
        }
    }
}

/// What connects two members.
package struct MemberComparison: Sendable {
    /// Those of both.
    package let devices: [KeyThumbprint]
    /// Entries of the first member's ledger about identities that went from one to the other, newest first.
    package let moves: [LedgerEntry]
}

extension UseCase where Self == Read<MemberComparison> {
    /// What connects two members. Of the first one's ledger it looks at the newest 1,000 entries.
    package static func comparison(of user: UserID, with other: UserID) -> Self {
        Read { context, tx in
            func keys(_ user: UserID) throws -> [KeyThumbprint] {
                try SessionQueries.devices(of: user, app: context.app.id, limit: 1_000, in: tx).map(\.key)
            }
            let others = Set(try keys(other))
            let entries = try LedgerQueries.entries(of: user, app: context.app.id, before: nil, limit: 1_000, in: tx)
            return MemberComparison(
                devices: try keys(user).filter(others.contains),
                moves: entries.filter { [$0.details["fromUserId"], $0.details["toUserId"]].contains(other.rawValue) })
        }
    }
}
