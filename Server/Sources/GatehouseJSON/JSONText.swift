import GatehousePlatform

/// Values stored as JSON in a text column.
package enum JSONText {
    package static func write(_ value: some Encodable) throws -> String {
        String(decoding: try JSONWriter.bytes(of: value), as: UTF8.self)
    }

    package static func read<Value: Decodable>(_ text: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }
}
