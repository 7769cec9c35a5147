import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// A page of the list of members.
package struct MemberPage: Sendable {
    /// Upper bound on the members that one page looks at.
    package static let maximumLookedAt = 5_000

    package let rows: [MemberRow]
    /// Where the next page begins, as ``MemberCursor`` reads it; nil after the last member.
    package let next: String?
    /// The number of members that were looked at, and when the last of them was registered: in the order of registration if they have
    /// not filled the page, and in the order of logins if there are more members than those.
    package let lookedAt: (count: Int, until: Moment)?
}

extension UseCase where Self == Read<MemberPage> {
    /// Members, newest first or in another order. A filter looks at a limited number of members at a time, so that nothing rare costs more
    /// than a fixed time.
    package static func members(
        where filter: MemberFilter, from cursor: MemberCursor = MemberCursor(), limit: Int
    ) -> Self {
        Read { context, tx in
            let (app, bound) = (context.app.id, MemberPage.maximumLookedAt)
            let count = max(1, min(limit, 500))
            var rows = try MemberQueries.browse(
                filter, from: cursor, app: app, limit: count + 1, lookingAt: bound, in: tx)
            let isFull = rows.count > count
            rows = Array(rows.prefix(count))
            let providers = try MemberQueries.providers(of: rows.map(\.user), app: app, in: tx)
            for index in rows.indices { rows[index].providers = providers[rows[index].user] ?? [] }
            let next = isFull ? rows.last.map(cursor.text) : nil
            let isPartial = cursor.order.key == .lastLogin || (!isFull && filter.selects)
            guard isPartial,
                let last = try MemberQueries.lastLookedAt(filter, from: cursor, app: app, lookingAt: bound, in: tx)
            else { return MemberPage(rows: rows, next: next, lookedAt: nil) }
            let goesOn = cursor.order.key == .registration
            return MemberPage(
                rows: rows, next: goesOn ? last.user.rawValue : next, lookedAt: (bound, last.registeredAt))
        }
    }
}

/// What an operator looks for in the list of members.
package struct MemberFilter: Sendable, Hashable {
    package var status: MemberStatus?
    /// Only members with an identity of this provider.
    package var has: Provider?
    /// Only members without one.
    package var lacks: Provider?
    /// The first moment of the registration.
    package var since: Moment?
    /// The moment before which the registration was.
    package var until: Moment?

    package init(
        status: MemberStatus? = nil, has: Provider? = nil, lacks: Provider? = nil, since: Moment? = nil,
        until: Moment? = nil
    ) {
        self.status = status
        self.has = has
        self.lacks = lacks
        self.since = since
        self.until = until
    }

    /// Whether members have to be looked at one by one.
    var selects: Bool { status != nil || has != nil || lacks != nil }
}

/// The order of a list of members.
package struct MemberOrder: Sendable, Hashable {
    package enum Key: Sendable, Hashable {
        case registration, lastLogin
    }

    package let key: Key
    package let isAscending: Bool

    package init(_ key: Key, isAscending: Bool) {
        self.key = key
        self.isAscending = isAscending
    }

    /// The members that registered last come first.
    package static let newest = MemberOrder(.registration, isAscending: false)
    package static let oldest = MemberOrder(.registration, isAscending: true)
}

/// Where a page of the list of members begins: the list's order, and the last member of the page before.
package struct MemberCursor: Sendable, Hashable {
    package let order: MemberOrder
    /// Nil for the first page.
    private(set) package var user: UserID?
    /// The last login of this member, in a list that is in the order of logins.
    private(set) package var lastLoginAt: Moment?

    /// - Parameter text: what ``text(after:)`` has made. The first page follows what is none.
    package init(_ order: MemberOrder = .newest, after text: String? = nil) {
        self.order = order
        guard let text else { return }
        switch order.key {
        case .registration: user = UserID(text)
        case .lastLogin:
            let parts = text.parts(at: "-")
            guard parts.count == 2, let login = Int64(parts[0]) else { return }
            (user, lastLoginAt) = (UserID(String(parts[1])), Moment(milliseconds: login))
        }
    }

    /// The beginning of the page after a member, as an address has it.
    package func text(after row: MemberRow) -> String {
        switch order.key {
        case .registration: row.user.rawValue
        case .lastLogin: "\(row.lastLoginAt.milliseconds)-\(row.user)"
        }
    }
}

/// A member that somebody has looked for.
package struct FoundPlayer: Sendable, Hashable {
    package enum By: String, Sendable, Hashable {
        case userID, beginning, identity, formerIdentity, legacyID, transfer, session, ban
    }

    package let by: By
    package let user: UserID
    package let status: MemberStatus
    /// The providers of the member's identities.
    package var providers: [Provider] = []
    /// The identity's provider.
    package var provider: Provider?
    /// When a former identity left the member.
    package var until: Moment?
    /// The system in which the member has the id.
    package var source: String?
}

extension UseCase where Self == Read<[FoundPlayer]> {
    /// Members by whatever an operator holds: a user id or its beginning, a provider's subject, a device's key, the id in a system that
    /// they come from, the id of a transfer account, of a session or of a ban. Each is one look into an index.
    package static func players(foundBy text: String) -> Self {
        Read { context, tx in try PlayerSearch.players(foundBy: text, app: context.app.id, in: tx) }
    }
}

extension UseCase where Self == Read<[Member]> {
    /// The members that a text finds, each of them once.
    package static func members(foundBy text: String) -> Self {
        Read { context, tx in
            var members: [Member] = []
            for found in try PlayerSearch.players(foundBy: text, app: context.app.id, in: tx)
            where !members.contains(where: { $0.userId == found.user }) {
                members.append(try MemberReport(of: found.user, context, in: tx).member)
            }
            return members
        }
    }
}

private struct PlayerSearch {
    /// Upper bound on the found members.
    private static let limit = 50

    let text: String

    static func players(foundBy text: String, app: AppID, in tx: Reader) throws -> [FoundPlayer] {
        let found = try PlayerSearch(text: text).find(app, in: tx)
        // Only a provider's and another system's ids may consist of anything. All others are found as they are typed and pasted.
        let typed = text.typedText
        guard found.isEmpty, !typed.isExactly(text) else { return found }
        return try PlayerSearch(text: typed).find(app, in: tx)
    }

    private func find(_ app: AppID, in tx: Reader) throws -> [FoundPlayer] {
        let id = text.typedID
        let isOfID = id.utf8.count <= UserID.length && id.allSatisfy { UserID.alphabet.contains($0) }
        if isOfID, id.utf8.count == UserID.length, let member = try found(.userID, UserID(id), app, in: tx) {
            return [member]
        }
        let (provider, subject) = named()
        var members = try MemberQueries.holders(ofSubject: subject, app: app, in: tx).filter {
            provider == nil || $0.provider == provider
        }.compactMap { holder in
            try found(.identity, holder.user, app, in: tx).map { member in
                var member = member
                member.provider = holder.provider
                return member
            }
        }
        members += try FormerIdentityQueries.holders(ofSubject: subject, app: app, limit: Self.limit, in: tx).filter {
            provider == nil || $0.provider == provider
        }.compactMap { former in
            try found(.formerIdentity, former.user, app, in: tx).map { member in
                var member = member
                (member.provider, member.until) = (former.provider, former.until)
                return member
            }
        }
        for legacy in try LegacyRules.members(named: text, app: app, in: tx)
        where !members.contains(where: { $0.user == legacy.user }) {
            guard var member = try found(.legacyID, legacy.user, app, in: tx) else { continue }
            member.source = legacy.source
            members.append(member)
        }
        if members.isEmpty, let user = try TransferRules.user(ofAccount: text, app: app, in: tx) {
            members = try [found(.transfer, user, app, in: tx)].compactMap(\.self)
        }
        if members.isEmpty, let session = try SessionQueries.session(SessionID(text.lowercased()), app: app, in: tx) {
            members = try [found(.session, session.session.user, app, in: tx)].compactMap(\.self)
        }
        if members.isEmpty, let ban = try HoldQueries.ban(text.lowercased(), app: app, in: tx) {
            members = try [found(.ban, ban.user, app, in: tx)].compactMap(\.self)
        }
        guard members.isEmpty, isOfID, id.utf8.count >= 4 else { return members }
        return try MemberQueries.users(beginningWith: id, app: app, limit: Self.limit, in: tx).compactMap { user in
            try found(.beginning, user, app, in: tx)
        }
    }

    /// `google:1234` names the provider too.
    private func named() -> (Provider?, String) {
        let parts = text.parts(at: ":", atMost: 2).map(String.init)
        guard parts.count == 2, ProviderName.all.contains(where: { $0.provider.rawValue == parts[0].lowercased() })
        else { return (nil, text) }
        return (Provider(parts[0].lowercased()), parts[1])
    }

    private func found(_ by: FoundPlayer.By, _ user: UserID, _ app: AppID, in tx: Reader) throws -> FoundPlayer? {
        try MemberQueries.account(user, app: app, in: tx).map { account in
            FoundPlayer(by: by, user: user, status: account.status, providers: account.mappings.map(\.provider))
        }
    }
}
