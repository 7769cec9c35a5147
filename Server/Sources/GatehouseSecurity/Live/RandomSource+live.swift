import GatehousePlatform

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
