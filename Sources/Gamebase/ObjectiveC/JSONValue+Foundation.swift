import Foundation
import GatehouseWire

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
