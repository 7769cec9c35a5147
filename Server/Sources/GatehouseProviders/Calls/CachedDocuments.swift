package import GatehousePlatform
package import GatehouseSecurity

/// Caches documents that identity providers publish, by URL. A document is fetched when first needed, renewed while the old one is
/// still served, and kept for a limited time when the provider is down (IDP-4, IDP-5). An invalid document never replaces a valid one
/// (IDP-6).
package actor CachedDocuments<Document: Sendable> {
    /// Older documents are renewed.
    private let freshSeconds: UInt64 = 600
    /// Older documents are no longer used.
    private let lifetimeSeconds: UInt64 = 86_400
    /// The pause after a failed renewal.
    private let pauseSeconds: UInt64 = 60
    /// How many are remembered, with those that were looked for in vain: some URLs are a client's to choose.
    private let maximumEntries = 256

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
    private var loads: [Name: Task<Result<Document, any Error>, Never>] = [:]

    package var count: Int { entries.count }

    package init(
        environment: ServerEnvironment, gateway: ProviderGateway,
        read: @escaping @Sendable (Data) throws(IdentityFailure) -> Document?
    ) {
        self.gateway = gateway
        monotonicNanoseconds = environment.monotonicNanoseconds
        self.read = read
    }

    /// The request for a document.
    package struct Request: Sendable {
        package let url: String
        /// The share of the gateway that a fetch uses.
        package let share: ProviderGateway.Share
        /// The required owner of the document, if several may publish one at the same URL.
        package var owner: String?
        /// Throws for a document that must not be kept, such as another owner's.
        package var check: @Sendable (Document) throws(IdentityFailure) -> Void = { _ in }
        /// Whether a new document lacks what the last one had. Then the last one counts until its day is over (IDP-6).
        package var isWorse: @Sendable (_ new: Document, _ known: Document) -> Bool = { _, _ in false }
        /// Whether the document contains what is needed. If not it is fetched again, a limited number of times regardless of the number
        /// of callers.
        package var isEnough: @Sendable (Document) -> Bool = { _ in true }
        /// Whether a caller is put off where the provider can't be asked for what is missing. Otherwise the known document is the answer.
        package var putsOff = false
        /// Why what a client has named is refused where the provider says that it has no such document. Nil where the URL is no
        /// client's to choose: then the provider is the one that fails.
        package var refusal: String?
    }

    /// The document at a URL, sufficiently new.
    ///
    /// - Throws: as ``document(_:)`` does.
    package func document(at url: String, of share: ProviderGateway.Share) async throws -> Document {
        try await document(Request(url: url, share: share))
    }

    /// The document, sufficiently new.
    ///
    /// - Throws: ``IdentityFailure/unavailable`` when the provider has not told it, or too long ago, or when what is known is not enough
    ///   and the provider may not be asked now; ``IdentityFailure/busy`` when too many wait, or when the request puts off and what is
    ///   missing was asked for too often; what is wrong with the document where it has told another; a refusal where the request says so.
    package func document(_ request: Request) async throws -> Document {
        let name = name(of: request)
        guard let known = known(name, request) else {
            do {
                return try await load(name, request)
            } catch is ProviderGateway.NotAsked {
                throw IdentityFailure.unavailable
            }
        }
        if request.isEnough(known) { return known }
        return try await newer(name, request, than: known)
    }

    /// The document again, because the known one is not enough. If it has been asked for too often or the provider fails, it is the known
    /// one, unless the request puts off.
    private func newer(_ name: Name, _ request: Request, than known: Document) async throws -> Document {
        let isUnderWay = loads[name] != nil
        guard isUnderWay || entries[name]?.forced.take(at: monotonicNanoseconds()) ?? false else {
            // The provider may have published what is missing since it was asked last.
            if request.putsOff { throw IdentityFailure.busy }
            return entries[name]?.document ?? known
        }
        do {
            _ = try await load(name, request)
        } catch IdentityFailure.busy {
            // Without the newer document a good credential would be refused as a bad one.
            throw IdentityFailure.busy
        } catch is ProviderGateway.NotAsked {
            // For the same reason: here nobody knows whether the provider has what is missing. A made-up credential that names an
            // unknown key gets this answer too, as long as the provider is left alone; that costs no request, and who has a good one
            // tries again.
            if !isUnderWay { entries[name]?.forced.giveBack() }
            if let document = entries[name]?.document, request.isEnough(document) { return document }
            throw IdentityFailure.unavailable
        } catch {
            // The document that is known is still used.
            let document = entries[name]?.document ?? known
            guard !request.putsOff || request.isEnough(document) else { throw IdentityFailure.unavailable }
        }
        return entries[name]?.document ?? known
    }

    /// The document if it is here, without waiting for anybody. It is renewed as it would be otherwise.
    package func known(_ request: Request) -> Document? { known(name(of: request), request) }

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
            let result: Result<Document, any Error>
            do {
                result = .success(try await self.fetch(request))
            } catch let error as ProviderGateway.NotAsked {
                result = .failure(error)
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
        let response = try await gateway.ask(OutgoingRequest(method: "GET", url: request.url), of: request.share)
        if let refusal = request.refusal, (400...499).contains(response.status) {
            throw IdentityFailure.rejected(refusal)
        }
        guard response.status == 200, let document = try read(response.body) else {
            gateway.note(
                "what it publishes is of no use (status \(response.status))", at: request.url, of: request.share)
            throw IdentityFailure.unavailable
        }
        try request.check(document)
        let name = name(of: request)
        if let known = entries[name], let last = known.document, request.isWorse(document, last),
            seconds(from: known.loadedAt, to: monotonicNanoseconds()) < lifetimeSeconds
        {
            gateway.note(
                "what it publishes lacks what logins need, and had it before", at: request.url, of: request.share)
            throw IdentityFailure.unavailable
        }
        return document
    }

    private func end(_ name: Name, _ result: Result<Document, any Error>) {
        loads[name] = nil
        switch result {
        case .success(let document):
            entries[name, default: Entry()].document = document
            entries[name, default: Entry()].loadedAt = monotonicNanoseconds()
            entries[name, default: Entry()].failure = nil
        case .failure(let failure):
            entries[name, default: Entry()].failure = failure as? IdentityFailure
        }
    }
}

/// Limits how often a document is fetched again because something is missing in it: a few times at once, then every twenty seconds.
/// Scheduled renewals are not counted, so that neither uses up the other's allowance.
package struct FetchAllowance: Sendable {
    private static let burst = 3
    private static let refillNanoseconds: UInt64 = 20_000_000_000

    private var left = burst
    private var filledAt: UInt64 = 0

    package init() {}

    /// Uses one fetch of the allowance, if one is left.
    package mutating func take(at now: UInt64) -> Bool {
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

    /// Returns a fetch that was not made.
    package mutating func giveBack() { left = min(left + 1, Self.burst) }
}
