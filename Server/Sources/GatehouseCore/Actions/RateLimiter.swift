import GatehouseSecurity
import GatehouseWire
import Synchronization

/// Limits on calls, as buckets that fill at the limit's rate and hold one minute's worth. Each node keeps them in memory: with n nodes,
/// an address has n times the limit.
package final class RateLimiter: Sendable {
    /// What is counted.
    enum Kind: Hashable, Sendable {
        case newGuests, refusedProofs, refusedCredentials, loginAttempts, transfers, changes
    }

    /// One bucket with its limit per minute. Without a limit there is no bucket.
    package struct Claim: Hashable, Sendable {
        fileprivate let bucket: Bucket.Name
        let limit: Int

        /// Names whose calls are counted, for the middle of a sentence.
        var party: String {
            switch bucket.source {
            case .network, .crowd: "from this address"
            case .device: "from this device"
            case .member: "of this member"
            }
        }

        /// The buckets of an address. IPv6 has two: the subscriber's /64, and its /48 with sixteen times the limit, because one
        /// customer may have a /48 and thereby 65,536 of the /64s.
        static func address(_ kind: Kind, _ app: App, _ address: ClientAddress, limit: Int) -> [Claim] {
            guard limit > 0 else { return [] }
            let own = Claim(
                bucket: .init(kind: kind, app: app.id, source: .network(address.network)), limit: limit)
            guard let wide = address.wideNetwork else { return [own] }
            let (wideLimit, overflow) = limit.multipliedReportingOverflow(by: 16)
            return [
                Claim(
                    bucket: .init(kind: kind, app: app.id, source: .network(wide)), limit: overflow ? .max : wideLimit),
                own,
            ]
        }

        static func device(_ kind: Kind, _ app: App, _ key: KeyThumbprint, limit: Int) -> [Claim] {
            limit > 0 ? [Claim(bucket: .init(kind: kind, app: app.id, source: .device(key)), limit: limit)] : []
        }

        static func member(_ kind: Kind, _ app: App, _ user: UserID, limit: Int) -> [Claim] {
            limit > 0 ? [Claim(bucket: .init(kind: kind, app: app.id, source: .member(user)), limit: limit)] : []
        }
    }

    fileprivate struct Bucket {
        struct Name: Hashable, Sendable {
            let kind: Kind
            let app: AppID
            let source: Source
        }

        enum Source: Hashable, Sendable {
            case network(ClientAddress.Network)
            case device(KeyThumbprint)
            case member(UserID)
            /// All networks beyond the maximum number of buckets.
            case crowd
        }

        var tokens: Double
        var filledAt: UInt64

        func filled(limit: Int, now: UInt64) -> Bucket {
            let minutes = Double(now &- filledAt) / Double(RateLimiter.minute)
            return Bucket(tokens: min(Double(limit), tokens + minutes * Double(limit)), filledAt: now)
        }
    }

    private static let minute: UInt64 = 60_000_000_000
    /// The maximum number of buckets of one generation. Beyond it, further networks share one bucket, and further devices have none,
    /// because the networks' limits still apply.
    static let maximumBuckets = 200_000

    /// The buckets used in this minute and in the previous one. A bucket unused for a minute is full, so forgetting it changes nothing.
    private struct Generations {
        var young: [Bucket.Name: Bucket] = [:]
        var old: [Bucket.Name: Bucket] = [:]
        var turnedAt: UInt64?

        mutating func turn(now: UInt64) {
            guard let last = turnedAt else { return turnedAt = now }
            guard now &- last >= RateLimiter.minute else { return }
            old = now &- last < 2 * RateLimiter.minute ? young : [:]
            young = [:]
            turnedAt = now
        }

        subscript(_ name: Bucket.Name) -> Bucket? { young[name] ?? old[name] }
    }

    private let monotonicNanoseconds: @Sendable () -> UInt64
    private let maximum: Int
    private let generations = Mutex(Generations())

    init(maximum: Int = maximumBuckets, monotonicNanoseconds: @escaping @Sendable () -> UInt64) {
        self.maximum = maximum
        self.monotonicNanoseconds = monotonicNanoseconds
    }

    /// Nil when a call may proceed; otherwise the seconds to wait.
    package func wait(_ claims: [Claim]) -> Int? {
        guard !claims.isEmpty else { return nil }
        let now = monotonicNanoseconds()
        return generations.withLock { generations in
            generations.turn(now: now)
            return wait(claims, now, &generations)
        }
    }

    /// Takes one call out of every bucket, or out of none and returns the seconds to wait.
    func take(_ claims: [Claim]) -> Int? {
        guard !claims.isEmpty else { return nil }
        let now = monotonicNanoseconds()
        return generations.withLock { generations in
            generations.turn(now: now)
            if let wait = wait(claims, now, &generations) { return wait }
            add(-1, to: claims, now, &generations)
            return nil
        }
    }

    /// Takes one call out of every bucket, even out of an empty one.
    package func count(_ claims: [Claim]) {
        guard !claims.isEmpty else { return }
        let now = monotonicNanoseconds()
        generations.withLock { generations in
            generations.turn(now: now)
            add(-1, to: claims, now, &generations)
        }
    }

    /// Undoes a ``take(_:)``.
    func giveBack(_ claims: [Claim]) {
        guard !claims.isEmpty else { return }
        let now = monotonicNanoseconds()
        generations.withLock { generations in
            generations.turn(now: now)
            add(1, to: claims, now, &generations)
        }
    }

    private func wait(_ claims: [Claim], _ now: UInt64, _ generations: inout Generations) -> Int? {
        claims.compactMap { claim -> Int? in
            guard let name = name(claim.bucket, generations), let bucket = generations[name] else {
                return nil
            }
            let tokens = bucket.filled(limit: claim.limit, now: now).tokens
            guard tokens < 1 else { return nil }
            return max(1, Int(((1 - tokens) * 60 / Double(claim.limit)).rounded(.up)))
        }.max()
    }

    private func add(_ tokens: Double, to claims: [Claim], _ now: UInt64, _ generations: inout Generations) {
        for claim in claims {
            guard let name = name(claim.bucket, generations) else { continue }
            let full = Bucket(tokens: Double(claim.limit), filledAt: now)
            var bucket = (generations[name] ?? full).filled(limit: claim.limit, now: now)
            bucket.tokens = min(Double(claim.limit), max(0, bucket.tokens + tokens))
            generations.young[name] = bucket
        }
    }

    /// The bucket for a name: its own if it exists or there is room for it.
    private func name(_ name: Bucket.Name, _ generations: Generations) -> Bucket.Name? {
        guard generations.young.count >= maximum, generations[name] == nil else { return name }
        guard case .network = name.source else { return nil }
        return Bucket.Name(kind: name.kind, app: name.app, source: .crowd)
    }
}
