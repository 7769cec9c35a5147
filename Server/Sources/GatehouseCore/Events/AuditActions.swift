package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reads a page of the audit log in chronological order.
package struct ListAuditRecords: ServerAction {
    /// Where the page begins.
    private let place: String

    /// The records since a moment. Records up to ten minutes older may be included.
    package init(since moment: Moment) {
        place = AuditRules.beginning(ofListSince: moment)
    }

    /// - Parameter place: where the previous page has ended.
    package init(after place: String) {
        self.place = place
    }

    package func perform(
        _ services: Services, by actor: Actor, at moment: Moment
    ) async throws -> (records: [AuditRecord], next: String?) {
        let records = try await services.database.report { tx in
            try AuditRules.records(after: place, limit: AuditRules.pageSize, in: tx)
        }
        return (records, records.count < AuditRules.pageSize ? nil : records.last?.id)
    }
}

/// Records in the audit log what an operator has done to the whole server.
package struct RecordServerEvent: ServerAction {
    let event: String

    package init(event: String) {
        self.event = event
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws {
        let random = services.random
        try await services.database.transact { tx in
            try AuditRules.append(event, by: actor.origin, at: moment, random: random, in: tx)
        }
    }
}
