import GatehouseWire

/// An exchange as it is stored for its idempotency key.
struct LegacyOutcome: Sendable, Codable {
    var login: LoginRules.Outcome
    var migrated: LegacyMigration
}
