/// Decodes a request of the contract from a document parsed by ``StrictJSON``. There is only one JSON parser, and what it refuses never
/// reaches a type.
package struct JSONReader: Decoder {
    package let value: StrictJSON.Value
    package let codingPath: [any CodingKey]
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    package static func read<Value: Decodable>(_ type: Value.Type, from value: StrictJSON.Value) throws -> Value {
        try JSONReader(value: value, codingPath: []).read(type)
    }

    private func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        switch type {
        case is String.Type: try cast(try string())
        case is Bool.Type: try cast(try bool())
        case is Int64.Type: try cast(try integer())
        case is Int.Type: try cast(Int(try integer()))
        case is Double.Type: try cast(try number())
        default: try Value(from: self)
        }
    }

    private func cast<Value>(_ value: Any) throws -> Value {
        guard let value = value as? Value else { throw mismatch(Value.self) }
        return value
    }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "another type"))
    }

    private func string() throws -> String {
        guard case .string(let value) = value else { throw mismatch(String.self) }
        return value
    }

    private func bool() throws -> Bool {
        guard case .bool(let value) = value else { throw mismatch(Bool.self) }
        return value
    }

    private func integer() throws -> Int64 {
        guard case .integer(let value) = value else { throw mismatch(Int64.self) }
        return value
    }

    private func integer<Integer: FixedWidthInteger>(of type: Integer.Type) throws -> Integer {
        guard let value = Integer(exactly: try integer()) else { throw mismatch(type) }
        return value
    }

    private func number() throws -> Double {
        switch value {
        case .number(let value): value
        case .integer(let value): Double(value)
        default: throw mismatch(Double.self)
        }
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: StrictJSON.Value].self) }
        return KeyedDecodingContainer(Members<Key>(members: members, codingPath: codingPath))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([StrictJSON.Value].self) }
        return Elements(elements: elements, codingPath: codingPath)
    }

    package func singleValueContainer() -> any SingleValueDecodingContainer { Single(reader: self) }

    private struct Position: CodingKey {
        let intValue: Int?
        var stringValue: String { String(intValue ?? 0) }

        init(_ index: Int) { intValue = index }
        init?(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let members: [(name: String, value: StrictJSON.Value)]
        let codingPath: [any CodingKey]
        /// The indices of a large object's members by name: a dictionary looks up each of them.
        private let places: [ExactText: Int]

        init(members: [(name: String, value: StrictJSON.Value)], codingPath: [any CodingKey]) {
            self.members = members
            self.codingPath = codingPath
            guard members.count > 16 else {
                places = [:]
                return
            }
            places = Dictionary(members.enumerated().map { (ExactText($1.name), $0) }) { first, _ in first }
        }

        var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

        private func value(_ key: any CodingKey) -> StrictJSON.Value? {
            guard places.isEmpty else { return places[ExactText(key.stringValue)].map { members[$0].value } }
            return members.first { $0.name.isExactly(key.stringValue) }?.value
        }

        private func reader(_ key: any CodingKey) throws -> JSONReader {
            guard let value = value(key) else {
                throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "missing"))
            }
            return JSONReader(value: value, codingPath: codingPath + [key])
        }

        func contains(_ key: Key) -> Bool { value(key) != nil }
        func decodeNil(forKey key: Key) throws -> Bool { value(key) == .null }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try reader(key).read(type)
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try reader(key).container(keyedBy: type)
        }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try reader(key).unkeyedContainer()
        }
        func superDecoder() throws -> any Decoder { JSONReader(value: .object(members), codingPath: codingPath) }
        func superDecoder(forKey key: Key) throws -> any Decoder { try reader(key) }
    }

    private struct Elements: UnkeyedDecodingContainer {
        let elements: [StrictJSON.Value]
        let codingPath: [any CodingKey]
        var currentIndex = 0

        init(elements: [StrictJSON.Value], codingPath: [any CodingKey]) {
            self.elements = elements
            self.codingPath = codingPath
        }

        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex >= elements.count }

        private mutating func next() throws -> JSONReader {
            let path = codingPath + [Position(currentIndex)]
            guard currentIndex < elements.count else {
                throw DecodingError.valueNotFound(
                    StrictJSON.Value.self, .init(codingPath: path, debugDescription: "the array ends"))
            }
            currentIndex += 1
            return JSONReader(value: elements[currentIndex - 1], codingPath: path)
        }

        mutating func decodeNil() throws -> Bool {
            guard currentIndex < elements.count, elements[currentIndex] == .null else { return false }
            currentIndex += 1
            return true
        }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().read(type) }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }
        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
        mutating func superDecoder() throws -> any Decoder { try next() }
    }

    private struct Single: SingleValueDecodingContainer {
        let reader: JSONReader
        var codingPath: [any CodingKey] { reader.codingPath }

        func decodeNil() -> Bool { reader.value == .null }
        func decode(_ type: String.Type) throws -> String { try reader.string() }
        func decode(_ type: Int64.Type) throws -> Int64 { try reader.integer() }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            switch type {
            // These types would request this container again, in an endless recursion.
            case let type as any FixedWidthInteger.Type: try reader.cast(try reader.integer(of: type))
            case is Float.Type: try reader.cast(Float(try reader.number()))
            default: try reader.read(type)
            }
        }
    }
}
