import GatehousePlatform
import GatehouseWire

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

extension JSONValue {
    /// A parsed value as the open part of a response.
    package init(_ value: StrictJSON.Value) {
        self =
            switch value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .integer(let value): .integer(value)
            case .number(let value): .number(value)
            case .string(let value): .string(value)
            case .array(let values): .array(values.map { JSONValue($0) })
            case .object(let members):
                .object(Dictionary(members.map { ($0.name, JSONValue($0.value)) }) { first, _ in first })
            }
    }

    /// Encodes a value of the contract as a part of an open document.
    package init(encoding value: some Encodable) throws {
        self = try StoredJSON.read(JSONValue.self, from: JSONWriter.bytes(of: value))
    }
}

extension StrictJSON.Value {
    /// The member at a path such as `data.member.idNo`.
    package func at(_ path: String) -> StrictJSON.Value? {
        path.parts(at: ".").reduce(self as StrictJSON.Value?) { $0?[String($1)] }
    }

    /// A string, an integer or a Boolean as text, because providers use different types for the same value.
    package var text: String? {
        switch self {
        case .string(let value): value
        case .integer(let value): String(value)
        case .bool(let value): String(value)
        default: nil
        }
    }
}
