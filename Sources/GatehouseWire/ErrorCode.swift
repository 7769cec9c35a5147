/// A code of the error table (``ErrorCode/table``). An open set: a code of a newer server is preserved.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, Codable {
    /// The value on the wire.
    public let rawValue: Int
    /// Wraps a value of the wire.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The table's row, or `nil` for a code that this version does not know.
    public var row: Row? { Self.rows[rawValue] }
    /// The name without its `TCGB_ERROR_` prefix, or the number.
    public var name: String { row?.name ?? String(rawValue) }

    /// The table's entry for one code. HTTP answers, SDK errors, the compatibility layer and `docs/errors.md` are derived from it.
    public struct Row: Sendable, Hashable {
        /// The code.
        public let code: ErrorCode
        /// The name without its `TCGB_ERROR_` prefix.
        public let name: String
        /// The status of an HTTP answer with this code, unless the protocol requires another (405, 413, 415, 429 ...).
        public let httpStatus: Int
        /// Whether the same call may succeed later without a change.
        public let mayRetry: Bool
        /// What happened, in a sentence for developers.
        public let meaning: String
        /// What the game should do.
        public let advice: String
    }

    private static let rows = Dictionary(uniqueKeysWithValues: table.map { ($0.code.rawValue, $0) })

    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(Int.self))
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
