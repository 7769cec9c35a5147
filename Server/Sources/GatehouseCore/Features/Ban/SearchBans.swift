import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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

    func read(_ view: Viewpoint, in tx: Reader) throws -> BoundedSearch<BanRecord> {
        let (app, moment) = (view.app.id, view.moment)
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
