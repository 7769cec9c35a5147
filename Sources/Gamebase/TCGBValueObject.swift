// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import GatehouseWire

/// A value of Gamebase's API: its JSON, with the documented names as properties. `description` is that JSON.
#if canImport(ObjectiveC)
@objc(TCGBValueObject) @objcMembers
#endif
public class TCGBValueObject: NSObject, @unchecked Sendable {
    let json: [String: JSONValue]

    init(json: [String: JSONValue]) {
        self.json = json.filter { $0.value != .null }
    }

    override public var description: String { jsonString() }

    public func jsonString() -> String { Self.text(json, []) }

    public func prettyJsonString() -> String { Self.text(json, .prettyPrinted) }

    /// The same as ``jsonString()``.
    public func JSONString() -> String { jsonString() }

    /// The same as ``prettyJsonString()``.
    public func JSONPrettyString() -> String { prettyJsonString() }

    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? TCGBValueObject else { return false }
        return type(of: other) == type(of: self) && other.json == json
    }

    override public var hash: Int { json.hashValue }

    static func text(_ json: [String: JSONValue], _ formatting: JSONEncoder.OutputFormatting) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return (try? encoder.encode(json)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// The value as a dictionary.
    public func dictionary() -> [String: Any] { json.mapValues(\.foundation) }

    /// The entries of a dictionary that are valid JSON.
    static func members(of dictionary: [String: Any]) -> [String: JSONValue] {
        dictionary.compactMapValues { JSONValue(foundation: $0) }
    }

    /// The members of a JSON object; empty if the text is not one.
    static func parse(_ text: String?) -> [String: JSONValue] {
        text.flatMap { try? JSONDecoder().decode(JSONValue.self, from: Data($0.utf8)) }?.objectValue ?? [:]
    }
}

extension JSONValue {
    var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value.rounded())
        default: nil
        }
    }

    /// The value as Foundation's collections represent it.
    var foundation: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): Int(value)
        case .number(let value): value
        case .string(let value): value
        case .array(let elements): elements.map(\.foundation)
        case .object(let members): members.mapValues(\.foundation)
        }
    }

    /// Reads a value that a game puts into a dictionary; nil if it is not valid JSON.
    init?(foundation value: Any) {
        // A Boolean is recognised by its type, because the number 1 can be read as a Boolean too.
        if type(of: value) == Bool.self, let value = value as? Bool {
            self = .bool(value)
            return
        }
        switch value {
        case let value as JSONValue: self = value
        case let value as String: self = .string(value)
        case let value as NSNumber: self = Self.number(value)
        case let value as Int: self = .integer(Int64(value))
        case let value as Int64: self = .integer(value)
        case let value as Double: self = .number(value)
        case let value as [Any]: self = .array(value.compactMap { JSONValue(foundation: $0) })
        case let value as [String: Any]: self = .object(value.compactMapValues { JSONValue(foundation: $0) })
        default: return nil
        }
    }

    /// Reads a number by the type that it was made from.
    private static func number(_ number: NSNumber) -> JSONValue {
        #if canImport(ObjectiveC)
        // A Boolean is known by its class: a number of one byte has the same type.
        if type(of: number) == type(of: NSNumber(value: true)) { return .bool(number.boolValue) }
        #endif
        return switch String(cString: number.objCType) {
        #if !canImport(ObjectiveC)
        case "c", "B": .bool(number.boolValue)
        #endif
        case "Q": Int64(exactly: number.uint64Value).map { .integer($0) } ?? .number(number.doubleValue)
        case "d", "f": Int64(exactly: number.doubleValue).map { .integer($0) } ?? .number(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }
}
