import Foundation
import X509

extension ServerEnvironment {
    /// The machine's clocks and the system's generator. Everything else gets time and chance handed to it.
    public static let live = live(reachesLocal: false)

    /// - Parameter reachesLocal: development: whether identity providers may be on this machine.
    /// - Parameter clock: development: one that can be moved.
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
    /// The system's generator, which is one of cryptographic quality on every platform that Swift runs on.
    public static let live = RandomSource { count in
        [UInt8](unsafeUninitializedCapacity: count) { buffer, made in
            // One call of the system for up to 256 bytes. It fails only where there is no generator: then Swift's own tells.
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
