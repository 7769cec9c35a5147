/// Writes values of the contract as JSON, directly into the response's bytes. Every response is written here, and Foundation's encoder,
/// which builds a tree first, costs as much as the rest of a simple call.
package final class JSONWriter: Encoder {
    private var text = JSONBytes()
    /// The objects and arrays that are open, outermost first.
    private var open: [(end: UInt8, isEmpty: Bool)] = []

    package var codingPath: [any CodingKey] { [] }
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    package static func bytes(of value: some Encodable) throws -> [UInt8] {
        let writer = JSONWriter()
        writer.text.bytes.reserveCapacity(1_024)
        if let value = value as? any JSONWritable {
            writer.writeItself(value)
        } else {
            try value.encode(to: writer)
        }
        writer.close(to: 0)
        return writer.text.bytes
    }

    package func writeItself(_ value: some JSONWritable) { value.write(to: &text) }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members<Key>(writer: self, depth: begin(UInt8(ascii: "{"), end: UInt8(ascii: "}"))))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        Elements(writer: self, depth: begin(UInt8(ascii: "["), end: UInt8(ascii: "]")))
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer { Single(writer: self) }

    private func begin(_ start: UInt8, end: UInt8) -> Int {
        text.bytes.append(start)
        open.append((end, true))
        return open.count
    }

    /// Closes all objects and arrays opened below a depth, because an encoder gets no signal when a value is complete.
    private func close(to depth: Int) {
        while open.count > depth, let last = open.popLast() { text.bytes.append(last.end) }
    }

    /// Moves to the next element of the container at a depth.
    private func next(at depth: Int) {
        close(to: depth)
        if open[depth - 1].isEmpty {
            open[depth - 1].isEmpty = false
        } else {
            text.bytes.append(UInt8(ascii: ","))
        }
    }

    private func name(_ key: some CodingKey, at depth: Int) {
        next(at: depth)
        write(key.stringValue)
        text.bytes.append(UInt8(ascii: ":"))
    }

    private func write(_ text: String) { self.text.write(text) }

    private func write(_ number: some BinaryInteger) { text.write(number) }

    private func write(_ number: Double) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "JSON has no such number"))
        }
        text.bytes.append(contentsOf: number.description.utf8)
    }

    private func write(_ flag: Bool) { text.write(flag) }
    private func writeNull() { text.bytes.append(contentsOf: "null".utf8) }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let writer: JSONWriter
        let depth: Int
        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil(forKey key: Key) {
            writer.name(key, at: depth)
            writer.writeNull()
        }
        mutating func encode(_ value: String, forKey key: Key) {
            writer.name(key, at: depth)
            writer.write(value)
        }
        mutating func encode(_ value: Bool, forKey key: Key) {
            writer.name(key, at: depth)
            writer.write(value)
        }
        mutating func encode(_ value: Int64, forKey key: Key) {
            writer.name(key, at: depth)
            writer.write(value)
        }
        mutating func encode(_ value: Int, forKey key: Key) {
            writer.name(key, at: depth)
            writer.write(value)
        }
        mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            writer.name(key, at: depth)
            try value.encode(to: writer)
        }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            writer.name(key, at: depth)
            return writer.container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            writer.name(key, at: depth)
            return writer.unkeyedContainer()
        }
        mutating func superEncoder() -> any Encoder { writer }
        mutating func superEncoder(forKey key: Key) -> any Encoder {
            writer.name(key, at: depth)
            return writer
        }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let writer: JSONWriter
        let depth: Int
        var count = 0
        var codingPath: [any CodingKey] { [] }

        init(writer: JSONWriter, depth: Int) {
            self.writer = writer
            self.depth = depth
        }

        private mutating func next() {
            writer.next(at: depth)
            count += 1
        }
        mutating func encodeNil() {
            next()
            writer.writeNull()
        }
        mutating func encode<Value: Encodable>(_ value: Value) throws {
            next()
            try value.encode(to: writer)
        }
        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            next()
            return writer.container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            next()
            return writer.unkeyedContainer()
        }
        mutating func superEncoder() -> any Encoder {
            next()
            return writer
        }
    }

    private struct Single: SingleValueEncodingContainer {
        let writer: JSONWriter
        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil() { writer.writeNull() }
        mutating func encode(_ value: String) { writer.write(value) }
        mutating func encode(_ value: Bool) { writer.write(value) }
        mutating func encode(_ value: Int64) { writer.write(value) }
        mutating func encode(_ value: Int) { writer.write(value) }
        mutating func encode(_ value: Double) throws { try writer.write(value) }
        mutating func encode<Value: Encodable>(_ value: Value) throws {
            switch value {
            // These types would request this container again, in an endless recursion.
            case let number as any FixedWidthInteger: writer.write(number)
            case let number as Float: try writer.write(Double(number))
            default: try value.encode(to: writer)
            }
        }
    }
}
