// How numbers are written.
extension Words {
    /// A number as people read it, such as `50,000`. English, Korean and Japanese group digits in the same way.
    static func number(_ number: some BinaryInteger) -> String { Chart.grouped(Int64(clamping: number)) }
}
