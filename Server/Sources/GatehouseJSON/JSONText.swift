import GatehousePlatform

/// Values stored as JSON in a text column.
package enum JSONText {
    package static func write(_ value: some Encodable) throws -> String {
        String(decoding: try JSONWriter.bytes(of: value), as: UTF8.self)
    }

    /// The members of every object are in order, so that what is the same has the same text each time.
    package static func sorted(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    package static func read<Value: Decodable>(_ text: String) throws -> Value {
        try StoredJSON.read(Value.self, from: Array(text.utf8))
    }
}
