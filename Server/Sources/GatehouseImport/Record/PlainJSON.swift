package import GatehouseJSON

/// A value that is written as it is, its members in their order.
package struct PlainJSON: JSONWritable {
    let value: StrictJSON.Value

    package init(_ value: StrictJSON.Value) {
        self.value = value
    }

    package var bytes: [UInt8] {
        var text = JSONBytes()
        write(to: &text)
        return text.bytes
    }

    package func write(to text: inout JSONBytes) { Self.write(value, to: &text) }

    private static func write(_ value: StrictJSON.Value, to text: inout JSONBytes) {
        switch value {
        case .null: text.bytes += "null".utf8
        case .bool(let flag): text.write(flag)
        case .integer(let number): text.write(number)
        case .number(let number): text.bytes += number.description.utf8
        case .string(let string): text.write(string)
        case .array(let elements):
            text.bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.bytes.append(UInt8(ascii: ",")) }
                write(element, to: &text)
            }
            text.bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            text.bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.bytes.append(UInt8(ascii: ",")) }
                text.write(member.name)
                text.bytes.append(UInt8(ascii: ":"))
                write(member.value, to: &text)
            }
            text.bytes.append(UInt8(ascii: "}"))
        }
    }
}
