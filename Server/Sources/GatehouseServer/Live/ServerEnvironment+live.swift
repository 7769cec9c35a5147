import Foundation
import X509

extension ServerEnvironment {
    /// The machine's clocks and the system's random number generator. All other code receives time and randomness as parameters.
    public static let live = live(reachesLocal: false)

    /// - Parameter reachesLocal: for development: whether identity providers may be on this machine.
    /// - Parameter clock: for development: a clock that can be moved.
    public static func live(reachesLocal: Bool, clock: DevClock? = nil) -> ServerEnvironment {
        var environment = ServerEnvironment(
            now: { Moment(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) },
            monotonicNanoseconds: { DispatchTime.now().uptimeNanoseconds },
            random: .live,
            fetch: { try await OutgoingHTTP.fetch($0, reachesLocal: reachesLocal) },
            authorities: SystemTrustStore.certificates)
        if let clock { environment.now = { clock.now } }
        return environment
    }
}

extension RandomSource {
    /// The system's random number generator, which is cryptographically secure on every platform that Swift supports.
    public static let live = RandomSource { count in
        [UInt8](unsafeUninitializedCapacity: count) { buffer, made in
            // One system call returns up to 256 bytes. It fails only if there is no generator; then Swift's own is used.
            if count <= 256, getentropy(buffer.baseAddress, count) == 0 {
                made = count
                return
            }
            var generator = SystemRandomNumberGenerator()
            for index in 0..<count { buffer.initializeElement(at: index, to: .random(in: 0...255, using: &generator)) }
            made = count
        }
    }
}
