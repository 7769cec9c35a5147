package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Lists refused calls of an app, newest first, with filters. A page examines a bounded number of them.
package struct SearchRefusals: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    let filter: RefusalFilter
    /// The last row of the page before.
    let before: String?
    let limit: Int

    package init(_ filter: RefusalFilter, before: String? = nil, limit: Int) {
        self.filter = filter
        self.before = before
        self.limit = max(1, min(limit, 1_000))
    }

    package func perform(_ work: Work) async throws -> BoundedSearch<RefusedCall> {
        let app = work.app.id
        return try await work.reportRefusals { tx in
            var devices = DeviceReader()
            return try BoundedSearch<RefusedCall>(after: filter.end(before), limit: limit, id: \.id) { place, count in
                let first = filter.first
                if let user = filter.user {
                    return try RefusalQueries.calls(
                        of: user, app: app, since: first, before: place, limit: count, in: tx)
                }
                return try RefusalQueries.calls(of: app, since: first, before: place, limit: count, in: tx)
            } where: { call in
                filter.holds(call, &devices)
            }
        }
    }
}

/// Counts refused calls by what they have in common.
package struct GroupRefusals: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    /// What the calls of a group have in common.
    package enum Trait: String, Sendable, CaseIterable {
        case code, provider, version, system, member

        fileprivate func value(of call: RefusalOutline, _ devices: inout DeviceReader) -> String? {
            switch self {
            case .code: String(call.code.rawValue)
            case .provider: call.provider?.rawValue
            case .version: devices.device(call.client)?.clientVersion
            case .system: devices.device(call.client)?.osCode
            case .member: call.user?.rawValue
            }
        }

        fileprivate var readsClient: Bool { self == .version || self == .system }
    }

    package struct Group: Sendable, Hashable {
        /// Nil for calls of which it is not known.
        package let value: String?
        package private(set) var count = 0
        /// The number of different members.
        package var members: Int { users.count }
        /// When the newest call was refused.
        package let last: Moment
        fileprivate let lastID: String
        private var users: Set<UserID> = []

        fileprivate init(value: String?, last: RefusalOutline) {
            (self.value, self.last, lastID) = (value, last.date, last.id)
        }

        fileprivate mutating func add(_ call: RefusalOutline) {
            count += 1
            if let user = call.user { users.insert(user) }
        }
    }

    package struct Outcome: Sendable {
        /// Those with the most calls first.
        package let groups: [Group]
        /// When the oldest call that was examined was refused, if there are older ones.
        package let stoppedAt: Moment?
    }

    private static let limit = 25
    let filter: RefusalFilter
    let trait: Trait

    package init(_ filter: RefusalFilter, by trait: Trait) {
        self.filter = filter
        self.trait = trait
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let app = work.app.id
        return try await work.reportRefusals { tx in
            var devices = DeviceReader()
            let readsClient = trait.readsClient || filter.readsClient
            let search = try BoundedSearch<RefusalOutline>(after: filter.end(nil), limit: .max, id: \.id) {
                place, count in
                try RefusalQueries.outlines(
                    of: filter.user, app: app, since: filter.first, before: place, limit: count,
                    withCall: filter.readsCall, withClient: readsClient, in: tx)
            } where: { call in
                filter.holds(call, &devices)
            }
            var groups: [String?: Group] = [:]
            for call in search.found {
                let value = trait.value(of: call, &devices)
                groups[value, default: Group(value: value, last: call)].add(call)
            }
            let sorted = groups.values.sorted { ($1.count, $1.lastID) < ($0.count, $0.lastID) }
            return Outcome(groups: Array(sorted.prefix(Self.limit)), stoppedAt: search.stoppedAt?.date)
        }
    }
}

extension RefusalFilter {
    // Ids are in the order of time, so that a range of time is a range of ids.

    /// The first id that is looked for; nil for no bound.
    fileprivate var first: String? { since.map { TimeOrderedID.firstEntry(at: $0) } }

    /// The id before which calls are looked for; nil for no bound.
    ///
    /// - Parameter last: the last row of the page before.
    fileprivate func end(_ last: String?) -> String? {
        [last, until.map { TimeOrderedID.firstEntry(at: $0) }].compactMap(\.self).min()
    }
}
