import Foundation
import GatehouseWire

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
