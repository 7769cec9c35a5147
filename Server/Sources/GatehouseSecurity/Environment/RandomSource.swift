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
