import GatehousePlatform
package import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// The state of a member before a ban or a release.
public enum BanFinding: String, Sendable, Hashable {
    case unknown
    /// The member has withdrawn or is missing: nobody can log in as this member.
    case gone
    case free
    case banned
}

/// Finds out whether a member is banned now.
package struct FindBan: Report {
    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    func read(_ context: CallContext, in tx: Reader) throws -> BanFinding {
        let (app, moment) = (context.app.id, context.moment)
        guard let found = try MemberQueries.account(user, app: app, in: tx) else { return .unknown }
        guard !found.isGone else { return .gone }
        return try MemberRules.withHolds(found, in: tx).isBanned(at: moment) ? .banned : .free
    }
}

/// Finds the ban that was in force for a member at a moment; nil if there was none.
package struct FindBanInForce: Report {
    let user: UserID
    let date: Moment

    package init(of user: UserID, at date: Moment) {
        self.user = user
        self.date = date
    }

    func read(_ context: CallContext, in tx: Reader) throws -> BanRecord? {
        try BanQueries.bans(of: user, app: context.app.id, in: tx).first { ban in
            ban.beginsAt <= date && (ban.endsAt.map { date < $0 } ?? true)
                && (ban.release.map { date < $0.at } ?? true)
        }
    }
}

/// Lists a member's bans, newest first.
package struct ListBansOfMember: Report {
    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    func read(_ context: CallContext, in tx: Reader) throws -> [BanRecord] {
        try BanQueries.bans(of: user, app: context.app.id, in: tx)
    }
}

/// Lists the bans of an app that began in a period, newest first.
package struct ListRecentBans: Report {
    let begin: Moment
    let end: Moment
    let limit: Int

    package init(begin: Moment, end: Moment, limit: Int = 100) {
        self.begin = begin
        self.end = end
        self.limit = limit
    }

    func read(_ context: CallContext, in tx: Reader) throws -> [BanRecord] {
        try BanQueries.bans(of: context.app.id, from: begin, to: end, limit: max(1, min(limit, 1_000)), in: tx)
    }
}

/// Lists the grace bans of an app that began before a moment, newest first.
package struct ListGraceBans: Report {
    /// Only those of this member; nil for those of all members.
    let user: UserID?
    /// Only those that are in effect now.
    let isOpen: Bool
    /// Nil for now.
    let end: Moment?
    /// The last one of the page before.
    let last: String?
    let limit: Int

    package init(
        user: UserID? = nil, isOpen: Bool = true, end: Moment? = nil, after last: String? = nil, limit: Int = 100
    ) {
        self.last = last
        self.user = user
        self.isOpen = isOpen
        self.end = end
        self.limit = limit
    }

    func read(_ context: CallContext, in tx: Reader) throws -> [GraceBanRecord] {
        let app = context.app.id
        let end = end ?? context.moment.adding(seconds: 1)
        return try GraceBanQueries.graceBans(
            of: app, user: user, isOpen: isOpen, before: end, after: last, limit: max(1, min(limit, 1_000)), in: tx)
    }
}

/// Lists the bans of all members of an app, page by page.
package struct ListBans: Report {
    package static let permission = Permission.serve(.moderate)

    let kind: Kind
    let page: Page

    package init(kind: Kind, page: Page) {
        self.kind = kind
        self.page = page
    }

    package enum Kind: Sendable {
        /// Bans that began in a period.
        case begun(Period)
        /// Releases in a period.
        case released(Period)
        /// Bans that are in effect now.
        case current
    }

    /// A ban with its template's name and its message to the player.
    package struct Row: Sendable {
        package let ban: BanRecord
        package let templateName: String?
        package let message: String?
    }

    func read(_ context: CallContext, in tx: Reader) throws -> Paged<Row> {
        let bans =
            switch kind {
            case .begun(let period): try BanQueries.begun(in: period, page, app: context.app.id, in: tx)
            case .released(let period): try BanQueries.released(in: period, page, app: context.app.id, in: tx)
            case .current: try BanQueries.current(at: context.moment, page, app: context.app.id, in: tx)
            }
        let templates = Dictionary(
            uniqueKeysWithValues: try BanQueries.templates(of: context.app.id, in: tx).map { ($0.code, $0) })
        return bans.map { ban in
            let template = ban.templateCode.flatMap { templates[$0] }
            return Row(
                ban: ban, templateName: template?.name,
                message: context.text(ban.message) ?? context.text(template?.texts))
        }
    }
}

/// Lists an app's bans, newest first, with filters. A page examines a bounded number of bans, so that no filter can cost more.
package struct SearchBans: Report {
    package struct Filter: Sendable, Hashable {
        /// Nil for bans in any state.
        package var state: BanRecord.State?
        package var template: Int?
        /// A part of the name of who has banned.
        package var by: String?
        /// A part of the reason.
        package var reason: String?

        package init(state: BanRecord.State?, template: Int?, by: String?, reason: String?) {
            self.state = state
            self.template = template
            self.by = by?.typedText.folded
            self.reason = reason?.typedText.folded
        }

        func holds(_ ban: BanRecord, at moment: Moment) -> Bool {
            (state == nil || ban.state(at: moment) == state) && (template == nil || ban.templateCode == template)
                && (by.map { ban.registeredBy.folded.has($0) } ?? true)
                && (reason.map { ban.reason.folded.has($0) } ?? true)
        }
    }

    let filter: Filter
    let before: String?
    let limit: Int

    package init(_ filter: Filter, before: String?, limit: Int) {
        self.filter = filter
        self.before = before
        self.limit = max(1, min(limit, 1_000))
    }

    func read(_ context: CallContext, in tx: Reader) throws -> BoundedSearch<BanRecord> {
        let (app, moment) = (context.app.id, context.moment)
        return try BoundedSearch(after: before, limit: limit, id: \.id) { place, count in
            filter.state == .inForce
                ? try BanQueries.inForce(at: moment, app: app, before: place, limit: count, in: tx)
                : try BanQueries.bans(of: app, before: place, limit: count, in: tx)
        } where: { ban in
            filter.holds(ban, at: moment)
        }
    }
}

extension BanRecord {
    package enum State: String, Sendable, Hashable, CaseIterable {
        case inForce = "in-force"
        case over, released
    }

    package func state(at moment: Moment) -> State {
        if release != nil { return .released }
        return endsAt.map { moment < $0 } ?? true ? .inForce : .over
    }
}

/// Reads the newest bans that a filter leaves, for a file. The log tells of each member that it was read.
package struct ExportBans: Action {
    package static let permission = ExportMember.permission
    package static let role = ExportMember.role
    package static let mostBans = 1_000

    private let search: SearchBans

    package init(_ filter: SearchBans.Filter) {
        search = SearchBans(filter, before: nil, limit: Self.mostBans)
    }

    package func perform(_ work: Work) async throws -> [BanRecord] {
        let bans = try await search.perform(work).found
        var named: Set<UserID> = []
        for ban in bans where named.insert(ban.user).inserted { work.report(.exported, of: ban.user) }
        return bans
    }
}
