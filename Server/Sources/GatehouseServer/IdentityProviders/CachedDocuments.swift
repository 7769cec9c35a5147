import Foundation
import GatehouseWire

/// Documents that identity providers publish, by their URL. Fetched when first needed, renewed while the old ones still serve,
/// and kept for a bounded time when the provider is down (IDP-4, IDP-5). A document that is of no use never takes the place of
/// one that is (IDP-6).
actor CachedDocuments<Document: Sendable> {
    /// Older ones are renewed.
    private let freshSeconds: UInt64 = 600
    /// Older ones count no more.
    private let lifetimeSeconds: UInt64 = 86_400
    /// Between two renewals that have failed.
    private let pauseSeconds: UInt64 = 60
    /// How many are remembered, with those that were looked for in vain: some URLs are a client's to choose.
    private let maximumEntries = 256

    /// What a document is kept under. Whoever trusts other certificates may be told another document.
    private struct Name: Hashable {
        let url: String
        let owner: String?
        let trustedCertificates: [String]
    }

    private struct Entry {
        var document: Document?
        var loadedAt: UInt64 = 0
        var triedAt: UInt64 = 0
        /// Why the last fetch has brought no document.
        var failure: IdentityFailure?
        var forced = FetchAllowance()
    }

    private let gateway: ProviderGateway
    private let monotonicNanoseconds: @Sendable () -> UInt64
    /// Nil for an answer of no use; throws to say why.
    private let read: @Sendable (Data) throws(IdentityFailure) -> Document?
    private var entries: [Name: Entry] = [:]
    private var loads: [Name: Task<Result<Document, IdentityFailure>, Never>] = [:]

    var count: Int { entries.count }

    init(
        environment: ServerEnvironment, gateway: ProviderGateway,
        read: @escaping @Sendable (Data) throws(IdentityFailure) -> Document?
    ) {
        self.gateway = gateway
        monotonicNanoseconds = environment.monotonicNanoseconds
        self.read = read
    }

    /// Which document is wanted.
    struct Request: Sendable {
        let url: String
        /// Whose call it is, should one be needed.
        let share: ProviderGateway.Share
        /// Whom the document must be of, where several may publish one at the same URL.
        var owner: String?
        /// Throws for a document that must not be kept, such as another owner's.
        var check: @Sendable (Document) throws(IdentityFailure) -> Void = { _ in }
        /// Whether it has what is looked for. If not it is fetched again, a bounded number of times, however many ask.
        var isEnough: @Sendable (Document) -> Bool = { _ in true }
        /// Why what a client has named is refused where the provider says that it has no such document. Nil where the URL is no
        /// client's to choose: then the provider is the one that fails.
        var refusal: String?
    }

    /// The document at a URL, as new as it has to be.
    ///
    /// - Throws: as ``document(_:)`` does.
    func document(at url: String, of share: ProviderGateway.Share) async throws -> Document {
        try await document(Request(url: url, share: share))
    }

    /// The document, as new as it has to be.
    ///
    /// - Throws: ``IdentityFailure/unavailable`` when the provider has not told it, or too long ago, or when too many wait; what
    ///   is wrong with the document where it has told another; a refusal where the request says so.
    func document(_ request: Request) async throws -> Document {
        let name = name(of: request)
        guard let known = known(name, request) else { return try await load(name, request) }
        if request.isEnough(known) { return known }
        let now = monotonicNanoseconds()
        if loads[name] != nil || entries[name]?.forced.take(at: now) ?? false {
            // What is known serves on where too many wait.
            _ = try? await load(name, request)
        }
        return entries[name]?.document ?? known
    }

    /// The document if it is here, without waiting for anybody. It is renewed as it would be otherwise.
    func known(_ request: Request) -> Document? { known(name(of: request), request) }

    private func known(_ name: Name, _ request: Request) -> Document? {
        let now = monotonicNanoseconds()
        guard let entry = entries[name], let document = entry.document,
            seconds(from: entry.loadedAt, to: now) < lifetimeSeconds
        else { return nil }
        if seconds(from: entry.loadedAt, to: now) >= freshSeconds,
            seconds(from: entry.triedAt, to: now) >= pauseSeconds
        {
            begin(name, request)
        }
        return document
    }

    private func name(of request: Request) -> Name {
        Name(url: request.url, owner: request.owner, trustedCertificates: request.share.trustedCertificates)
    }

    private func seconds(from: UInt64, to: UInt64) -> UInt64 { (to &- from) / 1_000_000_000 }

    /// One fetch at a time, for all who wait.
    private func load(_ name: Name, _ request: Request) async throws -> Document {
        if loads[name] == nil {
            let now = monotonicNanoseconds()
            // Without any document, a provider that is down is asked again after a second, not after a minute.
            if let entry = entries[name], entry.document == nil, now &- entry.triedAt < 1_000_000_000 {
                throw entry.failure ?? IdentityFailure.unavailable
            }
            begin(name, request)
        }
        guard let load = loads[name] else { throw IdentityFailure.unavailable }
        return try await gateway.waiting(of: request.share) { try await load.value.get() }
    }

    private func begin(_ name: Name, _ request: Request) {
        guard loads[name] == nil else { return }
        if entries[name] == nil { makeRoom() }
        entries[name, default: Entry()].triedAt = monotonicNanoseconds()
        loads[name] = Task {
            let result: Result<Document, IdentityFailure>
            do {
                result = .success(try await self.fetch(request))
            } catch {
                result = .failure(error as? IdentityFailure ?? .unavailable)
            }
            self.end(name, result)
            return result
        }
    }

    /// Forgets what was looked for in vain a while ago; where that is not enough, the oldest in vain, and at last the oldest
    /// document. What is being fetched stays: the gateway bounds how many that are.
    private func makeRoom() {
        guard entries.count >= maximumEntries else { return }
        let now = monotonicNanoseconds()
        entries = entries.filter { name, entry in
            entry.document != nil || loads[name] != nil || seconds(from: entry.triedAt, to: now) < pauseSeconds
        }
        guard entries.count >= maximumEntries else { return }
        let idle = entries.filter { loads[$0.key] == nil }
        let vain = idle.filter { $0.value.document == nil }
        let oldest =
            vain.min { $0.value.triedAt < $1.value.triedAt } ?? idle.min { $0.value.loadedAt < $1.value.loadedAt }
        if let oldest { entries[oldest.key] = nil }
    }

    private func fetch(_ request: Request) async throws -> Document {
        let response = try await gateway.fetch(OutgoingRequest(method: "GET", url: request.url), of: request.share)
        if let refusal = request.refusal, (400...499).contains(response.status) {
            throw IdentityFailure.rejected(refusal)
        }
        guard response.status == 200, let document = try read(response.body) else {
            gateway.note(
                "what it publishes is of no use (status \(response.status))", at: request.url, of: request.share)
            throw IdentityFailure.unavailable
        }
        try request.check(document)
        return document
    }

    private func end(_ name: Name, _ result: Result<Document, IdentityFailure>) {
        loads[name] = nil
        switch result {
        case .success(let document):
            entries[name, default: Entry()].document = document
            entries[name, default: Entry()].loadedAt = monotonicNanoseconds()
            entries[name, default: Entry()].failure = nil
        case .failure(let failure):
            entries[name, default: Entry()].failure = failure
        }
    }
}

/// How often something that is missing in a document may have it fetched again: a few times at once, then every twenty seconds.
/// Renewals by time are not counted, so that neither takes from the other.
struct FetchAllowance: Sendable {
    private static let burst = 3
    private static let refillNanoseconds: UInt64 = 20_000_000_000

    private var left = burst
    private var filledAt: UInt64 = 0

    /// Takes one fetch, if there is one left.
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
