import Foundation
import GatehouseWire

/// Caches documents that identity providers publish, by URL. A document is fetched when first needed, renewed while the old one is
/// still served, and kept for a limited time when the provider is down (IDP-4, IDP-5). An invalid document never replaces a valid one
/// (IDP-6).
actor CachedDocuments<Document: Sendable> {
    /// Older documents are renewed.
    private let freshSeconds: UInt64 = 600
    /// Older documents are no longer used.
    private let lifetimeSeconds: UInt64 = 86_400
    /// The pause after a failed renewal.
    private let pauseSeconds: UInt64 = 60

    /// The cache key of a document. Clients that trust different certificates may receive different documents.
    private struct Name: Hashable {
        let url: String
        let owner: String?
        let trustedCertificates: [String]
    }

    private struct Entry {
        var document: Document?
        var loadedAt: UInt64 = 0
        var triedAt: UInt64 = 0
        /// Why the last fetch failed.
        var failure: IdentityFailure?
        var forced = FetchAllowance()
    }

    private let gateway: ProviderGateway
    private let monotonicNanoseconds: @Sendable () -> UInt64
    /// Parses an answer. Returns nil for an invalid one, or throws the reason.
    private let read: @Sendable (Data) throws(IdentityFailure) -> Document?
    private var entries: [Name: Entry] = [:]
    private var loads: [Name: Task<Bool, Never>] = [:]

    init(
        environment: ServerEnvironment, gateway: ProviderGateway,
        read: @escaping @Sendable (Data) throws(IdentityFailure) -> Document?
    ) {
        self.gateway = gateway
        monotonicNanoseconds = environment.monotonicNanoseconds
        self.read = read
    }

    /// The request for a document.
    struct Request: Sendable {
        let url: String
        /// The share of the gateway that a fetch uses.
        let share: ProviderGateway.Share
        /// The required owner of the document, if several may publish one at the same URL.
        var owner: String?
        /// Throws for a document that must not be kept, such as another owner's.
        var check: @Sendable (Document) throws(IdentityFailure) -> Void = { _ in }
        /// Whether the document contains what is needed. If not it is fetched again, a limited number of times regardless of the number
        /// of callers.
        var isEnough: @Sendable (Document) -> Bool = { _ in true }
    }

    /// The document at a URL, sufficiently new.
    ///
    /// - Throws: as ``document(_:)`` does.
    func document(at url: String, of share: ProviderGateway.Share) async throws -> Document {
        try await document(Request(url: url, share: share))
    }

    /// The document, sufficiently new.
    ///
    /// - Throws: ``IdentityFailure/unavailable`` when the provider has never sent it, or too long ago, or when too many callers are
    ///   waiting; if the provider has sent an invalid document, what is wrong with it.
    func document(_ request: Request) async throws -> Document {
        let name = Name(
            url: request.url, owner: request.owner, trustedCertificates: request.share.trustedCertificates)
        let now = monotonicNanoseconds()
        guard let entry = entries[name], let known = entry.document,
            seconds(from: entry.loadedAt, to: now) < lifetimeSeconds
        else {
            guard try await load(name, request), let loaded = entries[name]?.document else {
                throw entries[name]?.failure ?? IdentityFailure.unavailable
            }
            return loaded
        }
        if seconds(from: entry.loadedAt, to: now) >= freshSeconds,
            seconds(from: entry.triedAt, to: now) >= pauseSeconds
        {
            begin(name, request)
        }
        if request.isEnough(known) { return known }
        if loads[name] != nil || entries[name]?.forced.take(at: now) ?? false {
            // When too many callers are waiting, the cached document is still used.
            _ = try? await load(name, request)
        }
        return entries[name]?.document ?? known
    }

    private func seconds(from: UInt64, to: UInt64) -> UInt64 { (to &- from) / 1_000_000_000 }

    /// Runs one fetch at a time, shared by all waiting callers.
    private func load(_ name: Name, _ request: Request) async throws -> Bool {
        if loads[name] == nil {
            let now = monotonicNanoseconds()
            // Without any document, a provider that is down is asked again after a second, not after a minute.
            if let entry = entries[name], entry.document == nil, now &- entry.triedAt < 1_000_000_000 { return false }
            begin(name, request)
        }
        guard let load = loads[name] else { return false }
        return try await gateway.waiting(of: request.share) { await load.value }
    }

    private func begin(_ name: Name, _ request: Request) {
        guard loads[name] == nil else { return }
        entries[name, default: Entry()].triedAt = monotonicNanoseconds()
        loads[name] = Task {
            let result: Result<Document, IdentityFailure>
            do {
                result = .success(try await self.fetch(request))
            } catch {
                result = .failure(error as? IdentityFailure ?? .unavailable)
            }
            return self.end(name, result)
        }
    }

    private func fetch(_ request: Request) async throws -> Document {
        let response = try await gateway.fetch(OutgoingRequest(method: "GET", url: request.url), of: request.share)
        guard response.status == 200, let document = try read(response.body) else {
            gateway.note(
                "what it publishes is of no use (status \(response.status))", at: request.url, of: request.share)
            throw IdentityFailure.unavailable
        }
        try request.check(document)
        return document
    }

    private func end(_ name: Name, _ result: Result<Document, IdentityFailure>) -> Bool {
        loads[name] = nil
        switch result {
        case .success(let document):
            entries[name, default: Entry()].document = document
            entries[name, default: Entry()].loadedAt = monotonicNanoseconds()
            entries[name, default: Entry()].failure = nil
            return true
        case .failure(let failure):
            entries[name, default: Entry()].failure = failure
            return false
        }
    }
}

/// Limits how often a document is fetched again because something is missing in it: a few times at once, then every twenty seconds.
/// Scheduled renewals are not counted, so that neither uses up the other's allowance.
struct FetchAllowance: Sendable {
    private static let burst = 3
    private static let refillNanoseconds: UInt64 = 20_000_000_000

    private var left = burst
    private var filledAt: UInt64 = 0

    /// Uses one fetch of the allowance, if one is left.
    mutating func take(at now: UInt64) -> Bool {
        let refills = (now &- filledAt) / Self.refillNanoseconds
        if left == Self.burst || refills >= UInt64(Self.burst - left) {
            left = Self.burst
            filledAt = now
        } else {
            left += Int(refills)
            filledAt &+= refills * Self.refillNanoseconds
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
