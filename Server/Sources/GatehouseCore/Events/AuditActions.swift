package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reads a page of the audit log in chronological order.
package struct ListAuditRecords: ServerAction {
    /// The last record of the previous page, or ``AuditRules/beginning(at:)``.
    let place: String
    let limit: Int

    package init(place: String, limit: Int) {
        self.place = place
        self.limit = limit
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [AuditRecord] {
        try await services.database.report { tx in try AuditRules.records(after: place, limit: limit, in: tx) }
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
