import GatehousePlatform

/// Reads the JSON that the server has written itself.
package enum StoredJSON {
    /// - Throws: a `DecodingError` for a text that is no such value.
    package static func read<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        // A provider's profile inside a stored value may go beyond the limits for requests, where Foundation's decoder, which takes five
        // times as long, has no limit.
        guard let value = try? StrictJSON.parse(bytes) else {
            return try JSONDecoder().decode(type, from: Data(bytes))
        }
        return try JSONReader.read(type, from: value)
    }
}
