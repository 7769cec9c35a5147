/// Comparisons of secrets, whose duration says nothing about what differs.
package enum ConstantTime {
    /// Whether both have the same bytes, compared in constant time (INP-8).
    package static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
