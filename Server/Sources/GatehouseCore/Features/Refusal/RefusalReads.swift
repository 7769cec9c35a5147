package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Finds refused calls by the transaction id that a player's error shows, newest first.
package struct FindRefusals: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    private static let limit = 20
    let transactionID: String

    package init(transactionID: String) {
        self.transactionID = transactionID
    }

    package func perform(_ work: Work) async throws -> [RefusedCall] {
        let app = work.app.id
        return try await work.reportRefusals { tx in
            try RefusalQueries.calls(withTransaction: transactionID, app: app, limit: Self.limit, in: tx)
        }
    }
}

extension UseCase where Self == Read<RefusedCall?> {
    /// One refused call; nil if none is kept.
    package static func refusal(_ id: String) -> Self {
        Read { context, tx in try RefusalQueries.call(id, app: context.app.id, in: tx) }
    }
}

/// Lists refused calls, newest first: those of a member, or of the whole app.
package struct ListRefusals: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    let user: UserID?
    /// The last row of the page before.
    let before: String?
    let limit: Int

    package init(of user: UserID? = nil, before: String? = nil, limit: Int) {
        self.user = user
        self.before = before
        self.limit = limit
    }

    package func perform(_ work: Work) async throws -> [RefusedCall] {
        let app = work.app.id
        let count = max(1, min(limit, 1_000))
        return try await work.reportRefusals { tx in
            if let user { return try RefusalQueries.calls(of: user, app: app, limit: count, in: tx) }
            return try RefusalQueries.calls(of: app, before: before, limit: count, in: tx)
        }
    }
}

extension Work {
    /// Reads refused calls after this node has written its newest, so that an operator does not have to wait for the next batch.
    func reportRefusals<Value: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> Value
    ) async throws -> Value {
        // If they can't be written now, the older ones can still be read.
        _ = try? await services.refusals.write(with: services)
        return try await services.database.report(body)
    }
}

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

/// Which refused calls somebody looks for.
package struct RefusalFilter: Sendable, Hashable {
    package var code: ErrorCode?
    package var provider: Provider?
    /// The game's own version, as its client has sent it.
    package var version: String?
    /// The code of the client's system, such as `IOS`.
    package var system: String?
    /// The endpoint, such as `/v1/apps/{appId}/login`.
    package var call: String?
    package var user: UserID?
    /// The first moment.
    package var since: Moment?
    /// The moment before which they were refused.
    package var until: Moment?

    package init() {}

    /// Whether a call of the member and of the time that are looked for is one of these calls.
    func holds(_ call: RefusedCall, _ devices: inout DeviceReader) -> Bool {
        holds(call.code, call.provider, call: call.call, client: call.client, &devices)
    }

    /// The same of an outline that has what ``readsCall`` and ``readsClient`` ask for.
    func holds(_ call: RefusalOutline, _ devices: inout DeviceReader) -> Bool {
        holds(call.code, call.provider, call: call.call, client: call.client, &devices)
    }

    var readsCall: Bool { call != nil }
    var readsClient: Bool { version != nil || system != nil }

    private func holds(
        _ code: ErrorCode, _ provider: Provider?, call: String?, client: String?, _ devices: inout DeviceReader
    ) -> Bool {
        guard self.code == nil || self.code == code, self.provider == nil || self.provider == provider,
            self.call == nil || self.call == call
        else { return false }
        guard readsClient else { return true }
        let device = devices.device(client)
        return (version == nil || device?.clientVersion == version) && (system == nil || device?.osCode == system)
    }
}

extension RefusedCall {
    /// What the device has said of itself.
    package var device: ClientInformation? { client.flatMap { ClientInformation(headerValue: $0) } }
}

/// Reads what devices have said of themselves, each text once: thousands of refused calls have some dozens of different ones.
struct DeviceReader {
    private var devices: [String: ClientInformation?] = [:]

    /// - Parameter text: the header of a call.
    mutating func device(_ text: String?) -> ClientInformation? {
        guard let text else { return nil }
        if let device = devices[text] { return device }
        let device = ClientInformation(headerValue: text)
        devices.updateValue(device, forKey: text)
        return device
    }
}
