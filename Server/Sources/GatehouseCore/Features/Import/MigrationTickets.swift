import Crypto
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
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
        try await work.transact(once: .replayed) { change, tx in
            try LegacyRules.confirm(request, change, in: tx)
        }
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

/// Tickets with which devices let the game's own server bring them a player. A ticket is the device's key and its end, sealed, so that
/// nothing is stored until the game's server shows it.
enum MigrationTickets {
    static let lifetimeSeconds: Int64 = 300
    private static let longest = 1_024

    private struct Content: Codable {
        let key: KeyThumbprint
        /// In milliseconds since 1970.
        let end: Int64
    }

    static func issue(to key: KeyThumbprint, app: AppID, at moment: Moment, vault: KeyVault) throws -> MigrationTicket {
        let content = Content(key: key, end: moment.adding(seconds: lifetimeSeconds).milliseconds)
        let sealed = try vault.seal(JSONWriter.bytes(of: content), for: .deviceTicket(of: app))
        return MigrationTicket(ticket: DeviceTicket(Base64URL.encode(sealed)), expirationDate: content.end)
    }

    /// Who a ticket is used for, in the place of the device that uses another credential.
    static func party(_ source: String, _ legacyID: String) -> KeyThumbprint {
        KeyThumbprint(Base64URL.encode(Array(SHA256.hash(data: Data("\(source)\0\(legacyID)".utf8)))))
    }

    /// A ticket that is good now.
    struct Ticket {
        let key: KeyThumbprint
        /// What binds it to the first player that it is used for.
        let claim: CredentialClaim

        /// - Throws: 3 for one that is none of the app's, and with the reason `credential_expired` for one that has ended.
        init(_ ticket: DeviceTicket, app: AppID, at moment: Moment, vault: KeyVault) throws {
            guard ticket.secretValue.utf8.count <= MigrationTickets.longest,
                let sealed = Base64URL.decode(ticket.secretValue.utf8),
                let opened = try? vault.open(sealed, for: .deviceTicket(of: app)),
                let content = try? StoredJSON.read(Content.self, from: opened)
            else { throw Refusal.parameter("deviceTicket", "The ticket is of no device of this app.") }
            let end = Moment(milliseconds: content.end)
            guard moment < end else {
                throw Refusal(
                    .invalidParameter, "The ticket has ended: the device gets another one.", reason: .credentialExpired,
                    details: ErrorDetails(parameter: "deviceTicket"))
            }
            key = content.key
            // Another spelling of the same ticket is the same ticket.
            claim = .token(hash: Array(SHA256.hash(data: Data(sealed))), until: end)
        }
    }
}
