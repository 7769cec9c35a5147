import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Where the records of a search are, for who looks through the server.
package enum OperatorRecordScope: Sendable, Hashable {
    case everything
    /// What concerns no app, such as operators.
    case server
    case app(AppID)
}

extension UseCase where Self == Read<BoundedSearch<OperatorRecord>> {
    /// What operators have done, newest first, with filters. In an app it is what was done there, and support sees only its own. A page
    /// examines a bounded number of records.
    ///
    /// - Parameter last: the last row of the page before.
    package static func operatorRecords(
        where filter: OperatorRecordFilter, in scope: OperatorRecordScope = .everything, before last: String?,
        limit: Int
    ) -> Self {
        Read(as: .support, onServer: .owner) { context, tx in
            let scope = context.appID.map { .app($0) } ?? scope
            return try BoundedSearch(after: last, limit: max(1, min(limit, 1_000)), id: \.id) { place, count in
                switch scope {
                case .everything: try OperatorRecordQueries.records(before: place, limit: count, in: tx)
                case .server:
                    try OperatorRecordQueries.recordsOfServer(target: nil, before: place, limit: count, in: tx)
                case .app(let app): try OperatorRecordQueries.records(of: app, before: place, limit: count, in: tx)
                }
            } where: { record in
                filter.holds(record) && OperatorRecordRules.maySee(record, context.actor)
            }
        }
    }
}

/// Which records somebody looks for.
package struct OperatorRecordFilter: Sendable, Hashable {
    private let by: String?
    private let action: String?
    private let target: String?
    private let since: Moment?
    private let until: Moment?

    /// - Parameters:
    ///   - by: the operator's name, in small or capital letters.
    ///   - target: a part of the target.
    ///   - until: the moment before which they were done.
    package init(
        by: String? = nil, action: String? = nil, target: String? = nil, since: Moment? = nil, until: Moment? = nil
    ) {
        self.by = by?.typedText.folded
        self.action = action
        self.target = target?.typedText.folded
        self.since = since
        self.until = until
    }

    func holds(_ record: OperatorRecord) -> Bool {
        (by.map { record.personName.folded == $0 } ?? true) && (action == nil || record.action == action)
            && (target.map { record.target.folded.has($0) } ?? true)
            && (since.map { record.date >= $0 } ?? true) && (until.map { record.date < $0 } ?? true)
    }
}
