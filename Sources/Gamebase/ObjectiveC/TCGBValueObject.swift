// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation
import GatehouseWire

/// A value of Gamebase's API: its JSON, with the documented names as properties. `description` is that JSON.
///
/// The compiler can't check a class as sendable that has subclasses, nor the subclasses. A test checks that all of them store only
/// constants.
#if canImport(ObjectiveC)
@objc(TCGBValueObject) @objcMembers
#endif
public class TCGBValueObject: NSObject, @unchecked Sendable {  // All it stores is constant.
    let json: [String: JSONValue]

    init(json: [String: JSONValue]) {
        self.json = json
    }

    override public var description: String { jsonString() }

    /// The value's JSON.
    public func jsonString() -> String { json.text() }

    /// The value's JSON, with line breaks.
    public func prettyJsonString() -> String { json.text(.prettyPrinted) }

    /// The same as ``jsonString()``.
    public func JSONString() -> String { jsonString() }

    /// The same as ``prettyJsonString()``.
    public func JSONPrettyString() -> String { prettyJsonString() }

    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? TCGBValueObject else { return false }
        return type(of: other) == type(of: self) && other.json == json
    }

    override public var hash: Int { json.hashValue }

    /// The value as a dictionary.
    public func dictionary() -> [String: Any] { json.foundation }
}

/// The members that this version knows of a JSON object of Gamebase's. All are optional, because the object may be a game's own.
protocol JSONMembers: Codable, Hashable, Sendable {
    init()
}

/// A JSON object of Gamebase's: its known members, and the object itself, which goes back to a game as it came.
@dynamicMemberLookup
struct JSONObject<Members: JSONMembers>: Codable, Hashable, Sendable {
    let json: [String: JSONValue]
    private let members: Members

    init(_ members: Members) {
        self.members = members
        json = [String: JSONValue](encoding: members)
    }

    /// Reads an object. A member of another type than the expected one counts as absent.
    init(json: [String: JSONValue]) {
        let json = json.filter { $0.value != .null }
        self.json = json
        members =
            (try? Members(json))
            ?? (try? Members(json.filter { member in (try? Members([member.key: member.value])) != nil }))
            ?? Members()
    }

    /// Reads the object in a text. A text that is not an object counts as an empty one.
    init(text: String?) { self.init(json: [String: JSONValue](text: text)) }

    /// Reads the entries of a dictionary that are valid JSON.
    init(dictionary: [String: Any]) { self.init(json: [String: JSONValue](foundation: dictionary)) }

    init(from decoder: any Decoder) throws { self.init(json: try [String: JSONValue](from: decoder)) }

    func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    subscript<Value>(dynamicMember path: KeyPath<Members, Value>) -> Value { members[keyPath: path] }
}

extension JSONMembers {
    fileprivate init(_ json: [String: JSONValue]) throws {
        self = try JSONDecoder().decode(Self.self, from: JSONEncoder().encode(json))
    }
}

extension [String: JSONValue] {
    /// The members of a value's JSON; empty if the value is not an object.
    init(encoding value: some Encodable) {
        self = (try? JSONDecoder().decode(Self.self, from: JSONEncoder().encode(value))) ?? [:]
    }

    /// The members of a JSON object; empty if the text is not one.
    init(text: String?) {
        self = text.flatMap { try? JSONDecoder().decode(JSONValue.self, from: Data($0.utf8)) }?.objectValue ?? [:]
    }

    /// The object as a text; `{}` if it has a number that JSON does not have.
    func text(_ formatting: JSONEncoder.OutputFormatting = []) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

// JSON as the dictionaries, arrays and numbers of Foundation, which games pass and receive.

extension [String: JSONValue] {
    var foundation: [String: Any] { mapValues(\.foundation) }

    /// The entries of a dictionary that are valid JSON.
    init(foundation dictionary: [String: Any]) {
        self = dictionary.compactMapValues { JSONValue(foundation: $0) }
    }
}

extension JSONValue {
    /// The value as Foundation's collections represent it.
    var foundation: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): Int(value)
        case .number(let value): value
        case .string(let value): value
        case .array(let elements): elements.map(\.foundation)
        case .object(let members): members.foundation
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
        case let value as [String: Any]: self = .object([String: JSONValue](foundation: value))
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
