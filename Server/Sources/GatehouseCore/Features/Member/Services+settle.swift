import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

extension Services {
    /// Throws unless the database answers.
    package func ping() async throws {
        try await database.ping()
        outage.noteAnswer()
    }

    /// Makes the due change of a member whose deadline has passed, in a transaction of its own. False when there was nothing left to do.
    @discardableResult
    func settle(_ lapsed: LapsedMember, at moment: Moment) async throws -> Bool {
        let (isDone, events) = try await database.transact { [random, vault] tx -> (Bool, [RecordedEvent]) in
            guard let app = try AppQueries.app(lapsed.app, in: tx) else { return (false, []) }
            let change = Change(
                Viewpoint(app: app, moment: moment), by: Actor.system.origin, random: random, vault: vault)
            return (try LifeRules.settle(lapsed, change, in: tx), change.events)
        }
        reporter.report(events)
        return isDone
    }
}
