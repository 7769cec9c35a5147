import GatehousePlatform
import GatehouseWire

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
