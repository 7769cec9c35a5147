public import X509

/// The server's dependencies on the outside world, except its database: time, randomness, identity providers, trusted authorities, and the disk.
/// They are closures, so that a test can replace them.
public struct ServerEnvironment: Sendable {
    /// The wall clock.
    public var now: @Sendable () -> Moment
    /// A monotonic clock in nanoseconds, for durations and limits that must not depend on changes of the wall clock.
    public var monotonicNanoseconds: @Sendable () -> UInt64
    /// Waits, unless the caller is cancelled.
    public var pause: @Sendable (_ nanoseconds: UInt64) async throws -> Void
    public var random: RandomSource
    /// Sends a request to an identity provider. Throws when no response comes, or one that is too large.
    public var fetch: @Sendable (OutgoingRequest) async throws -> OutgoingResponse
    /// How long ``fetch`` waits for a whole response.
    public var providerSeconds = OutgoingRequest.standardSeconds
    /// Sends an e-mail. Nil if the server's settings name no server that takes it.
    public var sendMail: (@Sendable (OutgoingMail) async throws -> Void)?
    /// The authorities that the machine trusts to say whose a certificate is. Nil where it has no trust store, and unless it is
    /// declared.
    public var authorities: @Sendable () -> CertificateStore?
    /// The room on the disk of a file. Nil if it is not known, and unless it is declared.
    public var diskSpace: @Sendable (_ path: String) -> DiskSpace? = { _ in nil }

    public init(
        now: @escaping @Sendable () -> Moment,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64,
        random: RandomSource,
        fetch: @escaping @Sendable (OutgoingRequest) async throws -> OutgoingResponse,
        authorities: @escaping @Sendable () -> CertificateStore? = { nil },
        pause: @escaping @Sendable (_ nanoseconds: UInt64) async throws -> Void = { _ in await Task.yield() }
    ) {
        self.now = now
        self.monotonicNanoseconds = monotonicNanoseconds
        self.random = random
        self.fetch = fetch
        self.authorities = authorities
        self.pause = pause
    }
}

/// The time of a request. It is read once at the beginning and passed on, so that one request uses only one time.
public struct Moment: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970, UTC.
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    public static func < (earlier: Moment, later: Moment) -> Bool { earlier.milliseconds < later.milliseconds }

    /// This moment moved by a number of seconds. It saturates: a lifetime of a thousand years means for ever, and must not trap.
    public func adding(seconds: Int64) -> Moment {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return Moment(milliseconds: seconds < 0 ? .min : .max) }
        let (sum, sumOverflow) = milliseconds.addingReportingOverflow(product)
        return Moment(milliseconds: sumOverflow ? (product < 0 ? .min : .max) : sum)
    }
}

/// Cryptographically secure random bytes, and values made from them.
public struct RandomSource: Sendable {
    public var bytes: @Sendable (_ count: Int) -> [UInt8]

    public init(bytes: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.bytes = bytes
    }

    /// An integer of at most 128 bits, from `bits / 8` (rounded up) random bytes.
    package func integer(bits: Int) -> UInt128 {
        let value = bytes((bits + 7) / 8).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        return bits >= 128 ? value : value & (UInt128(1) << UInt128(bits) - 1)
    }
}

/// The room on a disk, in bytes.
public struct DiskSpace: Sendable, Hashable {
    public let free: UInt64
    public let total: UInt64

    public init(free: UInt64, total: UInt64) {
        self.free = free
        self.total = total
    }
}
