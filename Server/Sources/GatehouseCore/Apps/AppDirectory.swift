package import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire
import Synchronization

/// Caches the apps for every request, so that none needs a query: an app is read from the database and kept for a second. A change takes
/// effect at once on the node that makes it (``forget(_:)``), and on every other node within that second.
package final class AppDirectory: Sendable {
    /// One app with its data that only the server may know.
    package struct Entry: Sendable {
        package let app: App
        package let secrets: [AppSecret]
        package let keys: SigningKeySet
        let loadedAt: UInt64

        /// The app's secret key with this text; nil if there is none. Every hash is compared, so that the response time does not reveal
        /// which secret was closer.
        package func secret(_ key: SecretKey) -> AppSecret? {
            let hash = SecretRules.hash(key)
            return secrets.filter { ConstantTime.isEqual($0.hash, hash) }.first
        }
    }

    static let lifetimeNanoseconds: UInt64 = 1_000_000_000

    private let database: Database
    private let vault: KeyVault
    private let tokenLifetimeSeconds: Int64
    private let monotonicNanoseconds: @Sendable () -> UInt64
    /// What is known of apps.
    private struct State {
        var entries: [AppID: Entry] = [:]
        /// Ids without an app, with the time of the last query.
        var unknown: [AppID: UInt64] = [:]
        /// The query in progress for each app, which all waiting callers share. One that is no longer here may have read what the app was
        /// before a change, and serves only those who wait for it.
        var loads: [AppID: (number: UInt64, task: Task<Entry?, any Error>)] = [:]
        var lastLoad: UInt64 = 0
    }

    /// The maximum number of ids without an app. Beyond it all are forgotten, because untrusted callers choose the ids.
    private static let maximumUnknown = 10_000

    private let state = Mutex(State())

    init(
        database: Database, vault: KeyVault, tokenLifetimeSeconds: Int64,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64
    ) {
        self.database = database
        self.vault = vault
        self.tokenLifetimeSeconds = tokenLifetimeSeconds
        self.monotonicNanoseconds = monotonicNanoseconds
    }

    /// The app, or a refusal with 2003. Invalid ids are refused without a query.
    package func entry(_ id: AppID) async throws -> Entry {
        guard AppRules.isID(id) else { throw AppRules.unknownApp }
        let now = monotonicNanoseconds()
        let (entry, isUnknown) = state.withLock { state in
            (state.entries[id], state.unknown[id].map { now &- $0 < Self.lifetimeNanoseconds } ?? false)
        }
        if let entry, now &- entry.loadedAt < Self.lifetimeNanoseconds { return entry }
        guard !isUnknown else { throw AppRules.unknownApp }
        return try await load(id, now: now)
    }

    /// The app with a token's signing key. Another node may have rotated the key within the last second. Then the app is read again,
    /// but at most ten times a second, because untrusted callers can send any number of unknown keys.
    func entry(_ id: AppID, withKey keyID: String) async throws -> Entry {
        let entry = try await entry(id)
        let now = monotonicNanoseconds()
        guard !entry.keys.keys.contains(where: { $0.id == keyID }), now &- entry.loadedAt > 100_000_000 else {
            return entry
        }
        return try await load(id, now: now)
    }

    /// Has the app read again by the next request, because this node has changed it: after a kick-out of all members, a player who logs in
    /// at once must not get a session that the kick-out has ended.
    func forget(_ id: AppID) {
        state.withLock { state in
            state.entries[id] = nil
            state.unknown[id] = nil
            state.loads[id] = nil
        }
    }

    /// Reads an app, once for all concurrent callers.
    private func load(_ id: AppID, now: UInt64) async throws -> Entry {
        let load = state.withLock { state in
            if let load = state.loads[id] { return load.task }
            state.lastLoad &+= 1
            let load = Task { [number = state.lastLoad] in try await self.read(id, now: now, number) }
            state.loads[id] = (state.lastLoad, load)
            return load
        }
        guard let entry = try await load.value else { throw AppRules.unknownApp }
        return entry
    }

    private func read(_ id: AppID, now: UInt64, _ number: UInt64) async throws -> Entry? {
        defer { state.withLock { state in if state.loads[id]?.number == number { state.loads[id] = nil } } }
        let vault = vault
        let lifetime = tokenLifetimeSeconds
        let entry = try await database.read { tx -> Entry? in
            guard let app = try AppQueries.app(id, in: tx) else { return nil }
            return Entry(
                app: app, secrets: try SecretQueries.secrets(of: id, in: tx),
                keys: try KeyRules.keys(of: id, vault: vault, tokenLifetimeSeconds: lifetime, in: tx), loadedAt: now)
        }
        state.withLock { state in
            guard state.loads[id]?.number == number else { return }
            state.entries[id] = entry
            guard entry == nil else { return state.unknown[id] = nil }
            if state.unknown.count >= Self.maximumUnknown { state.unknown = [:] }
            state.unknown[id] = now
        }
        return entry
    }
}
