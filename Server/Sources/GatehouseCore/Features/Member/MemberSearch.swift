import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Lists members, newest first or in another order. A filter looks at a limited number of members at a time, so that nothing rare costs more than a fixed time.
package struct BrowseMembers: Report {
    /// Upper bound on the members that one page looks at.
    package static let maximumLookedAt = 5_000

    let filter: MemberFilter
    let cursor: MemberCursor
    let limit: Int

    package init(_ filter: MemberFilter, from cursor: MemberCursor = MemberCursor(), limit: Int) {
        self.filter = filter
        self.cursor = cursor
        self.limit = limit
    }

    package struct Row: Sendable, Hashable {
        package let user: UserID
        package let status: MemberStatus
        package let registeredAt: Moment
        package let lastLoginAt: Moment
        package var providers: [Provider] = []
    }

    package struct Page: Sendable {
        package let rows: [Row]
        /// Where the next page begins, as ``MemberCursor`` reads it; nil after the last member.
        package let next: String?
        /// The number of members that were looked at, and when the last of them was registered: in the order of registration if they have
        /// not filled the page, and in the order of logins if there are more members than those.
        package let lookedAt: (count: Int, until: Moment)?
    }

    func read(_ context: CallContext, in tx: Reader) throws -> Page {
        let app = context.app.id
        let count = max(1, min(limit, 500))
        var rows = try MemberQueries.browse(
            filter, from: cursor, app: app, limit: count + 1, lookingAt: Self.maximumLookedAt, in: tx)
        let isFull = rows.count > count
        rows = Array(rows.prefix(count))
        let providers = try MemberQueries.providers(of: rows.map(\.user), app: app, in: tx)
        for index in rows.indices { rows[index].providers = providers[rows[index].user] ?? [] }
        let next = isFull ? rows.last.map(cursor.text) : nil
        let isPartial = cursor.order.key == .lastLogin || (!isFull && filter.selects)
        guard isPartial,
            let last = try MemberQueries.lastLookedAt(
                filter, from: cursor, app: app, lookingAt: Self.maximumLookedAt, in: tx)
        else { return Page(rows: rows, next: next, lookedAt: nil) }
        let goesOn = cursor.order.key == .registration
        return Page(
            rows: rows, next: goesOn ? last.user.rawValue : next, lookedAt: (Self.maximumLookedAt, last.registeredAt))
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
    package func text(after row: BrowseMembers.Row) -> String {
        switch order.key {
        case .registration: row.user.rawValue
        case .lastLogin: "\(row.lastLoginAt.milliseconds)-\(row.user)"
        }
    }
}

/// Finds members by whatever an operator holds: a user id or its beginning, a provider's subject, a device's key, the id in a system that
/// they come from, the id of a transfer account, of a session or of a ban. Each is one look into an index.
package struct FindPlayer: Report {
    /// Upper bound on the found members.
    package static let limit = 50

    let text: String

    package init(text: String) {
        self.text = text
    }

    package struct Found: Sendable, Hashable {
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

    func read(_ context: CallContext, in tx: Reader) throws -> [Found] {
        let found = try find(context.app.id, in: tx)
        // Only a provider's and another system's ids may consist of anything. All others are found as they are typed and pasted.
        let typed = text.typedText
        guard found.isEmpty, !typed.isExactly(text) else { return found }
        return try FindPlayer(text: typed).find(context.app.id, in: tx)
    }

    private func find(_ app: AppID, in tx: Reader) throws -> [Found] {
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

    private func found(_ by: Found.By, _ user: UserID, _ app: AppID, in tx: Reader) throws -> Found? {
        try MemberQueries.account(user, app: app, in: tx).map { account in
            Found(by: by, user: user, status: account.status, providers: account.mappings.map(\.provider))
        }
    }
}

/// Reads the members that ``FindPlayer`` finds, each of them once.
package struct SearchMembers: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    let text: String

    package init(text: String) {
        self.text = text
    }

    package func perform(_ work: Work) async throws -> [Member] {
        var members: [Member] = []
        for found in try await FindPlayer(text: text).perform(work)
        where !members.contains(where: { $0.userId == found.user }) {
            members.append(try await ReadMemberReport(user: found.user).perform(work).member)
        }
        return members
    }
}
