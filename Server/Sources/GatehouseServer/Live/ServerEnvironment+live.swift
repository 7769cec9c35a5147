import Foundation
public import GatehouseSecurity
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
