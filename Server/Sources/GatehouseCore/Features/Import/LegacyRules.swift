import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// Binds devices to the players that they were in another system. All of it happens in one transaction, which locks the member's row: so
/// of many devices that claim one player at once, one gets it.
enum LegacyRules {
    /// A guest that a player of another system may replace is at most this old.
    static let replaceableDays: Int64 = 30

    static func exchange(
        _ claim: LegacyClaim, on device: LoginDevice, _ change: Change, in tx: Transaction
    ) throws -> LegacyOutcome {
        let status = try LaunchingRules.requirePlayable(device: device.key, device.context, in: tx)
        let (source, secrets) = try LegacySourceRules.open(claim.source, change, in: tx)
        let credential = claim.person?.claim
        let isFirstUse =
            try credential.map {
                try CredentialUseRules.look(
                    for: $0, wasUsed: true, on: device.key, refused: .authIDPLoginFailed, change, in: tx)
            } ?? false
        let brought = try LegacyExchange(
            claim: claim, source: source, secrets: secrets, key: device.key, change: change
        ).perform(in: tx)
        let login = try LoginRules.open(
            brought.account, brought.provider, status: status, isNew: brought.isNew, on: device, change, in: tx)
        try record(brought, of: source, change, in: tx)
        if isFirstUse, let credential {
            try CredentialUseRules.use(credential, on: device.key, refused: .authIDPLoginFailed, change, in: tx)
        }
        return LegacyOutcome(
            login: login,
            migrated: LegacyMigration(source: source.name, legacyId: brought.legacyID, first: brought.isFirst))
    }

    private static func record(
        _ brought: LegacyExchange.Brought, of source: LegacySource, _ change: Change, in tx: Draft
    ) throws {
        guard brought.isClaim else { return }
        try change.record(.legacyClaimed(source: source.name, brought.provider), of: brought.account.user, in: tx)
    }

    // MARK: What the game's own server says

    /// Gives a player to the device of a ticket, because the game's own server has checked the old session. The device's next login as a
    /// guest brings the player.
    static func confirm(
        _ confirmation: MigrationConfirmation, _ change: Change, in tx: Transaction
    ) throws -> ConfirmedMigration {
        let (source, secrets) = try LegacySourceRules.open(confirmation.source, change, in: tx)
        // Any other secret key of the app would be as good as every player's old session.
        guard source.settings.confirmation == .server else {
            throw Refusal.parameter("source", "The source doesn't take the word of the game's own server.")
        }
        let legacyID = confirmation.legacyId
        guard (1...256).contains(legacyID.utf8.count),
            legacyID.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
        else { throw Refusal.parameter("legacyId", "An id in the old system has 1 to 256 printable bytes.") }
        let ticket = try MigrationTickets.Ticket(
            confirmation.deviceTicket, app: change.app.id, at: change.moment, vault: change.vault)
        // A repeated confirmation is the same player's.
        let party = MigrationTickets.party(source.name, legacyID)
        let isFirstUse = try CredentialUseRules.look(
            for: ticket.claim, wasUsed: true, on: party, refused: .invalidParameter, change, in: tx)
        let claim = LegacyClaim(
            source: source.name, proof: .person(LegacyPerson(legacyID: legacyID)),
            replacesGuest: confirmation.replaceGuest ?? false)
        let brought = try LegacyExchange(
            claim: claim, source: source, secrets: secrets, key: ticket.key, change: change
        ).perform(in: tx)
        let user = brought.account.user
        guard !brought.account.isBanned(at: change.moment) else { throw Refusal(.bannedMember) }
        if brought.isNew {
            try change.record(.memberImported(source: source.name, asNewGuest: true), of: user, in: tx)
        }
        try record(brought, of: source, change, in: tx)
        if isFirstUse {
            try CredentialUseRules.use(ticket.claim, on: party, refused: .invalidParameter, change, in: tx)
        }
        return ConfirmedMigration(userId: user, legacyId: legacyID, first: brought.isFirst)
    }

    /// What a member is in other systems.
    static func members(of user: UserID, app: AppID, in tx: Reader) throws -> [LegacyMember] {
        try LegacyQueries.members(of: user, app: app, in: tx)
    }

    /// The members that have a legacy id, by their sources.
    static func members(named legacyID: String, app: AppID, in tx: Reader) throws -> [LegacyMember] {
        try LegacyQueries.members(named: legacyID, app: app, in: tx)
    }

    /// What a page of members is in other systems, each member's ids by their sources.
    static func members(of users: UserRange, app: AppID, in tx: Reader) throws -> [UserID: [LegacyMember]] {
        Dictionary(grouping: try LegacyQueries.members(of: users, app: app, in: tx), by: \.user)
            .mapValues { members in members.sorted { $0.source < $1.source } }
    }

    /// Lets another device claim the member of a legacy id.
    ///
    /// - Returns: the member; nil if no device had claimed it.
    static func release(_ legacyID: String, of source: String, _ change: Change, in tx: Transaction) throws -> UserID? {
        let app = change.app.id
        _ = try LegacySourceRules.known(source, app: app, in: tx)
        guard let seen = try LegacyQueries.member(legacyID, source: source, app: app, in: tx) else {
            throw Refusal.parameter("legacyId", "Nobody has come from this source by this id.")
        }
        _ = try MemberRules.take(seen.user, app: app, at: change.moment, in: tx)
        guard try LegacyQueries.release(legacyID, source: source, app: app, in: tx) else { return nil }
        try change.record(.legacyReleased(source: source), of: seen.user, in: tx)
        return seen.user
    }

    /// Deletes what a member that withdraws was in other systems. A keyed hash stays, so that the next file of a system doesn't revive
    /// the member; without the source's key it leads to nobody.
    static func erase(_ user: UserID, _ change: Change, in tx: Transaction) throws {
        let app = change.app.id
        for member in try LegacyQueries.members(of: user, app: app, in: tx) {
            guard let source = try LegacySourceQueries.source(member.source, app: app, in: tx),
                source.sealedSettings != nil
            else { continue }
            let key = try LegacySourceRules.secrets(of: source, app: app, vault: change.vault).hashKey
            try LegacyQueries.insertErased(
                key.hash(ofErased: member.legacyID), source: member.source, app: app, at: change.moment, in: tx)
        }
        try LegacyQueries.deleteAll(of: user, app: app, in: tx)
    }
}

/// An exchange as it is stored for its idempotency key.
struct LegacyOutcome: Sendable, Codable {
    var login: LoginRules.Outcome
    var migrated: LegacyMigration
}
