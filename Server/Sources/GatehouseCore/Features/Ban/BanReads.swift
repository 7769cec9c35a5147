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

extension UseCase where Self == Read<BanFinding> {
    /// Whether a member is banned now.
    package static func banFinding(of user: UserID) -> Self {
        Read { context, tx in try BanFinding(of: user, context, in: tx) }
    }
}

extension BanFinding {
    init(of user: UserID, _ context: OperatorContext, in tx: Reader) throws {
        guard let found = try MemberQueries.account(user, app: context.app.id, in: tx) else {
            self = .unknown
            return
        }
        self =
            if found.isGone {
                .gone
            } else {
                try MemberRules.withHolds(found, in: tx).isBanned(at: context.moment) ? .banned : .free
            }
    }
}

extension UseCase where Self == Read<BanRecord?> {
    /// The ban that was in force for a member at a moment; nil if there was none.
    package static func banInForce(for user: UserID, at date: Moment) -> Self {
        Read { context, tx in
            try BanQueries.bans(of: user, app: context.app.id, in: tx).first { ban in
                ban.beginsAt <= date && (ban.endsAt.map { date < $0 } ?? true)
                    && (ban.release.map { date < $0.at } ?? true)
            }
        }
    }
}

extension UseCase where Self == Read<[BanRecord]> {
    /// A member's bans, newest first.
    package static func bans(of user: UserID) -> Self {
        Read { context, tx in try BanQueries.bans(of: user, app: context.app.id, in: tx) }
    }

    /// The bans of an app that began in a period, newest first.
    package static func recentBans(from begin: Moment, to end: Moment, limit: Int = 100) -> Self {
        Read { context, tx in
            try BanQueries.bans(of: context.app.id, from: begin, to: end, limit: max(1, min(limit, 1_000)), in: tx)
        }
    }
}

extension UseCase where Self == Read<[GraceBanRecord]> {
    /// The grace bans of an app that began before a moment, newest first.
    ///
    /// - Parameters:
    ///   - user: only those of this member; nil for those of all members.
    ///   - isOpen: only those that are in effect now.
    ///   - end: nil for now.
    ///   - last: the last one of the page before.
    package static func graceBans(
        of user: UserID? = nil, isOpen: Bool = true, before end: Moment? = nil, after last: String? = nil,
        limit: Int = 100
    ) -> Self {
        Read { context, tx in
            try GraceBanQueries.graceBans(
                of: context.app.id, user: user, isOpen: isOpen,
                before: end ?? context.moment.adding(seconds: 1), after: last, limit: max(1, min(limit, 1_000)), in: tx)
        }
    }
}

/// Lists the bans of all members of an app, page by page.
package struct ListBans: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.viewer

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

    package func perform(_ work: Work) async throws -> Paged<Row> {
        try await work.report { tx in try read(work.context, in: tx) }
    }

    private func read(_ context: CallContext, in tx: Reader) throws -> Paged<Row> {
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

/// Which bans an operator looks for.
package struct BanFilter: Sendable, Hashable {
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

extension UseCase where Self == Read<BoundedSearch<BanRecord>> {
    /// An app's bans, newest first, with filters. A page examines a bounded number of bans, so that no filter can cost more.
    ///
    /// - Parameter last: the last ban of the page before.
    package static func bans(where filter: BanFilter, before last: String?, limit: Int) -> Self {
        Read { context, tx in
            let (app, moment) = (context.app.id, context.moment)
            return try BoundedSearch(after: last, limit: max(1, min(limit, 1_000)), id: \.id) { place, count in
                filter.state == .inForce
                    ? try BanQueries.inForce(at: moment, app: app, before: place, limit: count, in: tx)
                    : try BanQueries.bans(of: app, before: place, limit: count, in: tx)
            } where: { ban in
                filter.holds(ban, at: moment)
            }
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

    private let filter: BanFilter

    package init(_ filter: BanFilter) {
        self.filter = filter
    }

    package func perform(_ work: Work) async throws -> [BanRecord] {
        let bans = try await Read.bans(where: filter, before: nil, limit: Self.mostBans).perform(work).found
        var named: Set<UserID> = []
        for ban in bans where named.insert(ban.user).inserted { work.report(.exported, of: ban.user) }
        return bans
    }
}
