import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Gives a device a ticket, with which the game's own server may bring it a player of another system.
package struct IssueMigrationTicket: Action {
    package static let permission = Permission.play
    package static let limits: [Limit] = [.changes]

    package init() {}

    package func perform(_ work: Work) async throws -> MigrationTicket {
        try MigrationTickets.issue(
            to: try work.actor.requireKey(), app: work.app.id, at: work.moment, vault: work.services.vault)
    }
}

/// Brings a player of another system to the device of a ticket, by the word of the game's own server.
package struct ConfirmMigration: Action {
    package static let permission = Permission.serve(.migrate)

    let request: MigrationConfirmation

    package init(request: MigrationConfirmation) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> ConfirmedMigration {
        try await work.transactOnce { change, tx in try LegacyRules.confirm(request, change, in: tx) }
    }
}

/// Tells a game server which members have come from another system, by their ids there or here.
package struct LookUpMigrations: Action {
    package static let permission = Permission.serve(.profile)
    package static let role = OperatorRole.viewer
    /// Upper bound on the ids of one call.
    private static let most = 300

    let request: MigrationLookupRequest

    package init(request: MigrationLookupRequest) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> MigrationLookup {
        let (app, request) = (work.app.id, request)
        let (legacyIDs, users) = (request.legacyIds ?? [], request.userIds ?? [])
        guard legacyIDs.isEmpty != users.isEmpty, max(legacyIDs.count, users.count) <= Self.most else {
            throw Refusal.parameter(
                legacyIDs.isEmpty ? "userIds" : "legacyIds", "A call has 1 to \(Self.most) legacyIds or userIds.")
        }
        return try await work.read { tx in
            let source = try LegacySourceRules.known(request.source, app: app, in: tx).name
            let members =
                users.isEmpty
                ? try LegacyQueries.members(legacyIDs, source: source, app: app, in: tx)
                : try LegacyQueries.members(of: users, source: source, app: app, in: tx)
            return MigrationLookup(
                members: members.map { member in
                    .init(
                        legacyId: member.legacyID, userId: member.user, claimDate: member.claimedAt?.milliseconds)
                })
        }
    }
}
