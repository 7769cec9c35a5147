import Foundation
import GatehouseWire

/// The published keys of identity providers, by their URL. Fetched when first needed, renewed while the old ones still serve,
/// and kept for a bounded time when the provider is down (IDP-4, IDP-5).
actor ProviderKeys {
    /// Older ones are renewed.
    private static let freshSeconds: UInt64 = 600
    /// Older ones count no more.
    private static let lifetimeSeconds: UInt64 = 86_400
    /// Between two fetches that an unknown key id, or a provider that is down, gives cause to.
    private static let pauseSeconds: UInt64 = 60
    /// Of one provider; real ones publish two or three.
    private static let maximumKeys = 32

    private struct KeySet {
        var keys: [String: ProviderKey] = [:]
        /// None before the first fetch that succeeded.
        var loadedAt: UInt64?
        var triedAt: UInt64 = 0
    }

    private let fetch: @Sendable (OutgoingRequest) async throws -> OutgoingResponse
    private let monotonicNanoseconds: @Sendable () -> UInt64
    private var sets: [String: KeySet] = [:]
    private var loads: [String: Task<Bool, Never>] = [:]

    init(
        fetch: @escaping @Sendable (OutgoingRequest) async throws -> OutgoingResponse,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64
    ) {
        self.fetch = fetch
        self.monotonicNanoseconds = monotonicNanoseconds
    }

    /// The key of this id and algorithm, or nil when the provider has none.
    ///
    /// - Throws: ``IdentityFailure/unavailable`` when the provider has not told its keys, or too long ago.
    func key(_ id: String, algorithm: String, at url: String) async throws -> ProviderKey? {
        let now = monotonicNanoseconds()
        let age = sets[url]?.loadedAt.map { (now &- $0) / 1_000_000_000 }
        guard let age, age < Self.lifetimeSeconds else {
            guard await load(url) else { throw IdentityFailure.unavailable }
            return find(id, algorithm, url)
        }
        if age >= Self.freshSeconds, mayTry(url, now) { begin(url) }
        if let key = find(id, algorithm, url) { return key }
        // The provider may have a new key: asked once in a while, however many unknown ids come.
        if mayTry(url, now) || loads[url] != nil { _ = await load(url) }
        return find(id, algorithm, url)
    }

    private func find(_ id: String, _ algorithm: String, _ url: String) -> ProviderKey? {
        guard let key = sets[url]?.keys[id], key.algorithm == algorithm else { return nil }
        return key
    }

    private func mayTry(_ url: String, _ now: UInt64) -> Bool {
        guard let set = sets[url] else { return true }
        return (now &- set.triedAt) / 1_000_000_000 >= Self.pauseSeconds
    }

    /// One fetch at a time, for all who wait.
    private func load(_ url: String) async -> Bool {
        if loads[url] == nil {
            let now = monotonicNanoseconds()
            // Without any keys, a provider that is down is asked again after a second, not after a minute.
            if let set = sets[url], set.loadedAt == nil, now &- set.triedAt < 1_000_000_000 { return false }
            begin(url)
        }
        return await loads[url]?.value ?? false
    }

    private func begin(_ url: String) {
        guard loads[url] == nil else { return }
        sets[url, default: KeySet()].triedAt = monotonicNanoseconds()
        loads[url] = Task {
            let keys = await self.fetchKeys(url)
            return self.end(url, keys)
        }
    }

    private func end(_ url: String, _ keys: [String: ProviderKey]?) -> Bool {
        loads[url] = nil
        guard let keys else { return false }
        sets[url, default: KeySet()].keys = keys
        sets[url, default: KeySet()].loadedAt = monotonicNanoseconds()
        return true
    }

    /// Nil for an answer that is no set of keys, or that has none of use.
    private nonisolated func fetchKeys(_ url: String) async -> [String: ProviderKey]? {
        guard let response = try? await fetch(OutgoingRequest(method: "GET", url: url)), response.status == 200,
            let document = try? StrictJSON.parse(response.body), case .array(let members)? = document["keys"]
        else { return nil }
        var keys: [String: ProviderKey] = [:]
        for member in members.prefix(Self.maximumKeys) {
            guard let id = member["kid"]?.string, let key = ProviderKey(member) else { continue }
            keys[id] = key
        }
        return keys.isEmpty ? nil : keys
    }
}
