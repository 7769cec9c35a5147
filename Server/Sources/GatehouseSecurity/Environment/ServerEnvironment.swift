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
        pause: @escaping @Sendable (_ nanoseconds: UInt64) async throws -> Void = { _ in }
    ) {
        self.now = now
        self.monotonicNanoseconds = monotonicNanoseconds
        self.random = random
        self.fetch = fetch
        self.authorities = authorities
        self.pause = pause
    }
}
