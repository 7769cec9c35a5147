import GatehouseStorage
import GatehouseWire
import Synchronization

/// The apps as every request needs them, without a query each: read from the database and kept for a second. What an
/// operator changes is felt on every node within that second.
final class AppDirectory: Sendable {
    /// One app with what only the server knows of it.
    struct Entry: Sendable {
        let app: App
        let secretHashes: [[UInt8]]
        let keys: SigningKeySet
        let loadedAt: UInt64
    }

    static let lifetimeNanoseconds: UInt64 = 1_000_000_000

    private let database: Database
    private let vault: KeyVault
    private let tokenLifetimeSeconds: Int64
    private let monotonicNanoseconds: @Sendable () -> UInt64
    private let entries = Mutex<[AppID: Entry]>([:])

    init(
        database: Database, vault: KeyVault, tokenLifetimeSeconds: Int64,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64
    ) {
        self.database = database
        self.vault = vault
        self.tokenLifetimeSeconds = tokenLifetimeSeconds
        self.monotonicNanoseconds = monotonicNanoseconds
    }

    /// The app, or a refusal with 2003. Ids that no app can have are refused without a query.
    func entry(_ id: AppID) async throws -> Entry {
        guard AppRules.isID(id) else { throw AppRules.unknownApp }
        let now = monotonicNanoseconds()
        if let entry = entries.withLock({ $0[id] }), now &- entry.loadedAt < Self.lifetimeNanoseconds { return entry }
        return try await load(id, now: now)
    }

    /// The app with a signing key that a token names. Another node may have rotated within the last second: then the app is
    /// read again, at most ten times a second however many unknown keys come from outside.
    func entry(_ id: AppID, withKey keyID: String) async throws -> Entry {
        let entry = try await entry(id)
        let now = monotonicNanoseconds()
        guard !entry.keys.keys.contains(where: { $0.id == keyID }), now &- entry.loadedAt > 100_000_000 else {
            return entry
        }
        return try await load(id, now: now)
    }

    private func load(_ id: AppID, now: UInt64) async throws -> Entry {
        let vault = vault
        let lifetime = tokenLifetimeSeconds
        let entry = try await database.read { tx -> Entry? in
            guard let app = try AppQueries.app(id, in: tx) else { return nil }
            return Entry(
                app: app, secretHashes: try AppQueries.secretHashes(of: id, in: tx),
                keys: try KeyRules.keys(of: id, vault: vault, tokenLifetimeSeconds: lifetime, in: tx), loadedAt: now)
        }
        // Only apps that exist are kept: unknown ids from outside can't fill the memory.
        entries.withLock { $0[id] = entry }
        guard let entry else { throw AppRules.unknownApp }
        return entry
    }
}
