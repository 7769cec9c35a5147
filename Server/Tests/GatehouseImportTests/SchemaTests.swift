import Foundation
import GatehouseImport
import GatehouseWire
import Testing

/// docs/members.schema.json says what the reader takes.
@Suite struct SchemaTests {
    private static let url = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/members.schema.json")

    private let definitions: [String: [String: Any]]

    init() throws {
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: Self.url)) as? [String: Any])
        definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        #expect((schema["description"] as? String)?.contains("\(ImportLimits.lineBytes) bytes") == true)
    }

    private func properties(_ name: String) throws -> [String: [String: Any]] {
        try #require(definitions[name]?["properties"] as? [String: [String: Any]])
    }

    @Test("Each object has the members that the reader knows, and no other")
    func members() throws {
        for (name, known) in [
            ("header", NeutralHeader.names), ("member", ImportedMember.names), ("identity", ImportedIdentity.names),
            ("device", ImportedDevice.names), ("ban", ImportedBan.names), ("end", NeutralEnd.names),
        ] {
            #expect(Set(try properties(name).keys) == Set(known), "\(name)")
            #expect(definitions[name]?["additionalProperties"] as? Bool == false, "\(name)")
        }
    }

    @Test("Words, lengths and counts are those of the reader")
    func limits() throws {
        let member = try properties("member")
        func words(_ property: [String: Any]?) -> [String]? { property?["enum"] as? [String] }
        #expect(words(member["status"]) == ImportedMember.Status.allCases.map(\.rawValue))
        #expect(words(member["lost"]?["items"] as? [String: Any]) == ImportedMember.Loss.allCases.map(\.rawValue))
        #expect(words(try properties("device")["kind"]) == ImportedDevice.Kind.allCases.map(\.rawValue))
        #expect(words(try properties("ban")["type"]) == [BanType.temporary.rawValue, BanType.permanent.rawValue])
        #expect(member["identities"]?["maxItems"] as? Int == ImportLimits.identities)
        #expect(member["devices"]?["maxItems"] as? Int == ImportLimits.devices)
        #expect(member["bans"]?["maxItems"] as? Int == ImportLimits.bans)
        #expect(definitions["id"]?["maxLength"] as? Int == ImportLimits.idLength)
        #expect(definitions["date"]?["maximum"] as? Int64 == ImportLimits.lastDate)
        #expect(try properties("header")["from"]?["maxProperties"] as? Int == NeutralHeader.facts)
        #expect(try properties("header")["format"]?["const"] as? String == NeutralHeader.format)
        let reasons = try #require(try properties("ban")["reason"]?["oneOf"] as? [[String: Any]])
        #expect(reasons[0]["maxLength"] as? Int == ImportLimits.reasonLength)
        let userIDs = try #require(member["userId"]?["oneOf"] as? [[String: Any]])
        #expect(userIDs[0]["pattern"] as? String == "^[\(UserID.alphabet)]{\(UserID.length)}$")
    }

    @Test("Every line of the golden files fits its part of the schema", arguments: GoldenFileTests.cases)
    func goldenLines(example: GoldenFileTests.Case) throws {
        let lines = try GoldenFileTests.convert(example).text.split(separator: "\n").map(String.init)
        for (index, line) in lines.enumerated() {
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let part = index == 0 ? "header" : index == lines.count - 1 ? "end" : "member"
            #expect(problem(of: value, in: ["$ref": "#/$defs/\(part)"]) == nil, "\(line)")
        }
        #expect(problem(of: ["legacyId": "a", "status": "guest", "x": 1], in: ["$ref": "#/$defs/member"]) != nil)
        #expect(problem(of: ["legacyId": "", "status": "guest"], in: ["$ref": "#/$defs/member"]) != nil)
    }

    /// The words of JSON Schema that the document uses.
    private func problem(of value: Any, in schema: [String: Any]) -> String? {
        if let reference = schema["$ref"] as? String {
            guard let target = definitions[String(reference.dropFirst("#/$defs/".count))] else {
                return "no \(reference)"
            }
            if let found = problem(of: value, in: target) { return found }
        }
        if let choices = schema["oneOf"] as? [[String: Any]] {
            let fitting = choices.count { problem(of: value, in: $0) == nil }
            if fitting != 1 { return "\(fitting) of the choices fit \(value)" }
        }
        if let constant = schema["const"], "\(value)" != "\(constant)" {
            return "\(value) is not \(constant)"
        }
        if let words = schema["enum"] as? [String], !words.contains(where: { $0 == value as? String }) {
            return "\(value)"
        }
        let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] }
        if let types, !types.contains(where: { Self.fits(value, $0) }) { return "\(value) is none of \(types)" }
        if let text = value as? String {
            let length = text.unicodeScalars.count
            if length < schema["minLength"] as? Int ?? 0 || length > schema["maxLength"] as? Int ?? .max { return text }
            if let pattern = schema["pattern"] as? String,
                text.range(of: pattern, options: .regularExpression) == nil
            {
                return text
            }
        }
        if let list = value as? [Any] {
            if list.count > schema["maxItems"] as? Int ?? .max { return "too many" }
            let items = schema["items"] as? [String: Any] ?? [:]
            return list.lazy.compactMap { problem(of: $0, in: items) }.first
        }
        return (value as? [String: Any]).flatMap { problem(ofMembers: $0, in: schema) }
    }

    private func problem(ofMembers members: [String: Any], in schema: [String: Any]) -> String? {
        for name in schema["required"] as? [String] ?? [] where members[name] == nil { return "no \(name)" }
        guard let properties = schema["properties"] as? [String: [String: Any]] else { return nil }
        for (name, value) in members {
            guard let property = properties[name] else { return "\(name) is unknown" }
            if let found = problem(of: value, in: property) { return "\(name): \(found)" }
        }
        return nil
    }

    private static func fits(_ value: Any, _ type: String) -> Bool {
        switch type {
        case "string": value is String
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "integer": (value as? NSNumber).map { $0.doubleValue == $0.doubleValue.rounded() } == true
        default: value is NSNull
        }
    }
}
