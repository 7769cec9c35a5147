public import X509

/// The server's dependencies on the outside world, except its database: time, randomness, identity providers, and trusted authorities.
/// They are closures, so that a test can replace them.
public struct ServerEnvironment: Sendable {
    /// The wall clock.
    public var now: @Sendable () -> Moment
    /// A monotonic clock in nanoseconds, for durations and limits that must not depend on changes of the wall clock.
    public var monotonicNanoseconds: @Sendable () -> UInt64
    public var random: RandomSource
    /// Sends a request to an identity provider. Throws when no response comes, or one that is too large.
    public var fetch: @Sendable (OutgoingRequest) async throws -> OutgoingResponse
    /// The authorities that the machine trusts to say whose a certificate is. Nil where it has no trust store, and unless it is
    /// declared.
    public var authorities: @Sendable () -> CertificateStore?

    public init(
        now: @escaping @Sendable () -> Moment,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64,
        random: RandomSource,
        fetch: @escaping @Sendable (OutgoingRequest) async throws -> OutgoingResponse,
        authorities: @escaping @Sendable () -> CertificateStore? = { nil }
    ) {
        self.now = now
        self.monotonicNanoseconds = monotonicNanoseconds
        self.random = random
        self.fetch = fetch
        self.authorities = authorities
    }
}

/// Cryptographically secure random bytes, and values made from them.
public struct RandomSource: Sendable {
    public var bytes: @Sendable (_ count: Int) -> [UInt8]

    public init(bytes: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.bytes = bytes
    }

    /// An integer of at most 128 bits, from `bits / 8` (rounded up) random bytes.
    func integer(bits: Int) -> UInt128 {
        let value = bytes((bits + 7) / 8).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        return bits >= 128 ? value : value & (UInt128(1) << UInt128(bits) - 1)
    }
}
