import GatehouseWire
import Synchronization

/// Limits per app and address, as buckets that fill at the limit's rate and hold one minute's worth. They live in each
/// node's memory: with n nodes, an address has n times the limit.
final class RateLimiter: Sendable {
    struct Kind: Hashable, Sendable {
        private let name: String
        private let app: AppID
        /// An address or a device.
        private let source: Source

        private enum Source: Hashable, Sendable {
            case network(ClientAddress.Network)
            case device(KeyThumbprint)
        }

        static func newGuests(_ app: App, _ address: ClientAddress) -> Kind {
            Kind(name: "new-guests", app: app.id, source: .network(address.network))
        }

        static func refusedProofs(_ app: App, _ address: ClientAddress) -> Kind {
            Kind(name: "refused-proofs", app: app.id, source: .network(address.network))
        }

        static func loginAttempts(_ app: App, _ address: ClientAddress) -> Kind {
            Kind(name: "login-attempts", app: app.id, source: .network(address.network))
        }

        static func transfers(_ app: App, _ address: ClientAddress) -> Kind {
            Kind(name: "transfers", app: app.id, source: .network(address.network))
        }

        static func transfers(_ app: App, _ device: KeyThumbprint) -> Kind {
            Kind(name: "transfers", app: app.id, source: .device(device))
        }
    }

    private struct Bucket {
        var tokens: Double
        var filledAt: UInt64
    }

    /// Past this many addresses, the buckets that have filled up again are forgotten, which changes nothing for them.
    static let maximumBuckets = 200_000

    private let monotonicNanoseconds: @Sendable () -> UInt64
    private let buckets = Mutex<[Kind: Bucket]>([:])

    init(monotonicNanoseconds: @escaping @Sendable () -> UInt64) {
        self.monotonicNanoseconds = monotonicNanoseconds
    }

    /// Nil when a call may go on; else the seconds until one may. A limit of 0 is none.
    func wait(_ kind: Kind, limit: Int) -> Int? {
        guard limit > 0 else { return nil }
        let now = monotonicNanoseconds()
        return buckets.withLock { buckets in
            guard let bucket = buckets[kind] else { return nil }
            let tokens = Self.fill(bucket, limit: limit, now: now).tokens
            guard tokens < 1 else { return nil }
            return max(1, Int(((1 - tokens) * 60 / Double(limit)).rounded(.up)))
        }
    }

    /// Counts one call.
    func take(_ kind: Kind, limit: Int) {
        guard limit > 0 else { return }
        let now = monotonicNanoseconds()
        buckets.withLock { buckets in
            if buckets[kind] == nil, buckets.count >= Self.maximumBuckets {
                buckets = buckets.filter { now &- $0.value.filledAt < 60_000_000_000 }
            }
            var bucket = Self.fill(
                buckets[kind] ?? Bucket(tokens: Double(limit), filledAt: now), limit: limit, now: now)
            bucket.tokens = max(0, bucket.tokens - 1)
            buckets[kind] = bucket
        }
    }

    private static func fill(_ bucket: Bucket, limit: Int, now: UInt64) -> Bucket {
        let minutes = Double(now &- bucket.filledAt) / 60_000_000_000
        return Bucket(tokens: min(Double(limit), bucket.tokens + minutes * Double(limit)), filledAt: now)
    }
}
