import Foundation

extension ServerEnvironment {
    /// The machine's clocks and the system's generator. Everything else gets time and chance handed to it.
    public static let live = ServerEnvironment(
        now: { Moment(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) },
        monotonicNanoseconds: { DispatchTime.now().uptimeNanoseconds },
        random: .live,
        fetch: OutgoingHTTP.fetch
    )
}

extension RandomSource {
    /// The system's generator, which is one of cryptographic quality on every platform that Swift runs on.
    public static let live = RandomSource { count in
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
            withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
