import Foundation
import GatehouseWire

/// Documents that identity providers publish, by their URL. Fetched when first needed, renewed while the old ones still serve,
/// and kept for a bounded time when the provider is down (IDP-4, IDP-5).
actor CachedDocuments<Document: Sendable> {
    /// Older ones are renewed.
    private let freshSeconds: UInt64 = 600
    /// Older ones count no more.
    private let lifetimeSeconds: UInt64 = 86_400
    /// Between two fetches that something missing, or a provider that is down, gives cause to.
    private let pauseSeconds: UInt64 = 60

    private struct Entry {
        var document: Document?
        var loadedAt: UInt64 = 0
        var triedAt: UInt64 = 0
    }

    private let gateway: ProviderGateway
    private let monotonicNanoseconds: @Sendable () -> UInt64
    /// Nil for an answer of no use.
    private let read: @Sendable (Data) -> Document?
    private var entries: [String: Entry] = [:]
    private var loads: [String: Task<Bool, Never>] = [:]

    init(environment: ServerEnvironment, gateway: ProviderGateway, read: @escaping @Sendable (Data) -> Document?) {
        self.gateway = gateway
        monotonicNanoseconds = environment.monotonicNanoseconds
        self.read = read
    }

    /// The document, as new as it has to be.
    ///
    /// - Parameters:
    ///   - share: whose call it is, should one be needed.
    ///   - isEnough: whether it has what is looked for. If not it is fetched again, once in a while, however many ask.
    /// - Throws: ``IdentityFailure/unavailable`` when the provider has not told it, or too long ago, or when too many wait.
    func document(
        at url: String, of share: ProviderGateway.Share, _ isEnough: @Sendable (Document) -> Bool = { _ in true }
    ) async throws -> Document {
        let now = monotonicNanoseconds()
        guard let entry = entries[url], let known = entry.document,
            seconds(from: entry.loadedAt, to: now) < lifetimeSeconds
        else {
            guard try await load(url, share), let loaded = entries[url]?.document else {
                throw IdentityFailure.unavailable
            }
            return loaded
        }
        if seconds(from: entry.loadedAt, to: now) >= freshSeconds, mayTry(url, now) { begin(url, share) }
        if isEnough(known) { return known }
        if mayTry(url, now) || loads[url] != nil {
            // What is known serves on where too many wait.
            _ = try? await load(url, share)
        }
        return entries[url]?.document ?? known
    }

    private func seconds(from: UInt64, to: UInt64) -> UInt64 { (to &- from) / 1_000_000_000 }

    private func mayTry(_ url: String, _ now: UInt64) -> Bool {
        guard let entry = entries[url] else { return true }
        return seconds(from: entry.triedAt, to: now) >= pauseSeconds
    }

    /// One fetch at a time, for all who wait.
    private func load(_ url: String, _ share: ProviderGateway.Share) async throws -> Bool {
        if loads[url] == nil {
            let now = monotonicNanoseconds()
            // Without any document, a provider that is down is asked again after a second, not after a minute.
            if let entry = entries[url], entry.document == nil, now &- entry.triedAt < 1_000_000_000 { return false }
            begin(url, share)
        }
        guard let load = loads[url] else { return false }
        return try await gateway.waiting(of: share) { await load.value }
    }

    private func begin(_ url: String, _ share: ProviderGateway.Share) {
        guard loads[url] == nil else { return }
        entries[url, default: Entry()].triedAt = monotonicNanoseconds()
        loads[url] = Task {
            let response = try? await self.gateway.fetch(OutgoingRequest(method: "GET", url: url), of: share)
            return self.end(url, response.flatMap { $0.status == 200 ? self.read($0.body) : nil })
        }
    }

    private func end(_ url: String, _ document: Document?) -> Bool {
        loads[url] = nil
        guard let document else { return false }
        entries[url, default: Entry()].document = document
        entries[url, default: Entry()].loadedAt = monotonicNanoseconds()
        return true
    }
}
