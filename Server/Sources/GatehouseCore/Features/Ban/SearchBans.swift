package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Lists an app's bans, newest first, with filters. A page examines a bounded number of bans, so that no filter can cost more.
package struct SearchBans: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    /// The number of bans that one page examines.
    static let bound = 5_000
    private static let step = 500

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
            self.by = by?.lowercased()
            self.reason = reason?.lowercased()
        }

        func holds(_ ban: BanRecord, at moment: Moment) -> Bool {
            (state == nil || ban.state(at: moment) == state) && (template == nil || ban.templateCode == template)
                && (by.map { ban.registeredBy.lowercased().contains($0) } ?? true)
                && (reason.map { ban.reason.lowercased().contains($0) } ?? true)
        }
    }

    package struct Outcome: Sendable {
        package var bans: [BanRecord] = []
        /// Continues after this ban; nil at the end of the list.
        package var next: String?
        /// The beginning of the last ban that was examined, if the search has stopped at its bound.
        package var stoppedAt: Moment?
    }

    let filter: Filter
    let before: String?
    let limit: Int

    package init(_ filter: Filter, before: String?, limit: Int) {
        self.filter = filter
        self.before = before
        self.limit = max(1, min(limit, 1_000))
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let (app, moment) = (work.app.id, work.moment)
        return try await work.services.database.report { tx in
            var outcome = Outcome()
            var (place, last, examined) = (before, nil as BanRecord?, 0)
            while examined < Self.bound {
                let part =
                    filter.state == .inForce
                    ? try BanQueries.inForce(at: moment, app: app, before: place, limit: Self.step, in: tx)
                    : try BanQueries.bans(of: app, before: place, limit: Self.step, in: tx)
                for ban in part where filter.holds(ban, at: moment) {
                    // One more than the page shows that there is another page.
                    guard outcome.bans.count < limit else {
                        outcome.next = outcome.bans.last?.id
                        return outcome
                    }
                    outcome.bans.append(ban)
                }
                examined += part.count
                guard part.count == Self.step, let end = part.last else { return outcome }
                (place, last) = (end.id, end)
            }
            (outcome.next, outcome.stoppedAt) = (last?.id, last?.beginsAt)
            return outcome
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

/// Counts the bans in force that show each template, by its code.
package struct CountBansOfTemplates: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package init() {}

    package func perform(_ work: Work) async throws -> [Int: Int] {
        let (app, moment) = (work.app.id, work.moment)
        return try await work.services.database.report { tx in
            try BanQueries.countsOfTemplates(at: moment, app: app, in: tx)
        }
    }
}
