import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Repeats a step of a withdrawal that was exported from a newer copy of this database.
package struct ReplayErasure: Action {
    package static let permission = Permission.administer

    let erasure: Erasure

    package init(erasure: Erasure) {
        self.erasure = erasure
    }

    package func perform(_ work: Work) async throws -> ErasureOutcome {
        try await work.transact { change, tx in try ErasureRules.replay(erasure, change, in: tx) }
    }
}
