/// Reads `application/x-www-form-urlencoded`: forms and queries. It is the only reader of them, and it reads bytes, because a
/// `Character` may be as long as the whole request.
package enum FormEncoding {
    /// A field. Both texts are safe to work on, even if they are not well-formed.
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String
        /// False if a percent sign stands without its digits, for bytes that are no UTF-8, for U+0000, which no database holds, and for
        /// more marks than ``CombiningMarks/maximum``. Then the texts are not quite what was sent.
        package let isWellFormed: Bool
    }

    package static func fields(of bytes: some Sequence<UInt8>) -> [Field] {
        var work = 0
        return fields(of: bytes, work: &work)
    }

    /// - Parameter work: is increased by the number of bytes that are looked at, counting repeated reads.
    package static func fields(of bytes: some Sequence<UInt8>, work: inout Int) -> [Field] {
        var reader = Reader()
        for byte in bytes { reader.take(byte, work: &work) }
        reader.endField(work: &work)
        return reader.fields
    }

    private struct Reader {
        var fields: [Field] = []
        private var name: [UInt8]?
        private var part: [UInt8] = []

        mutating func take(_ byte: UInt8, work: inout Int) {
            work += 1
            switch byte {
            case UInt8(ascii: "&"): endField(work: &work)
            case UInt8(ascii: "=") where name == nil:
                name = part
                part = []
            default: part.append(byte)
            }
        }

        mutating func endField(work: inout Int) {
            if name != nil || !part.isEmpty {
                let first = text(name ?? part, work: &work)
                let second = text(name == nil ? [] : part, work: &work)
                fields.append(
                    Field(
                        name: first.text, value: second.text, isWellFormed: first.isWellFormed && second.isWellFormed))
            }
            name = nil
            part = []
        }

        private func text(_ encoded: [UInt8], work: inout Int) -> (text: String, isWellFormed: Bool) {
            work += encoded.count
            let (bytes, isEncoded) = PercentEncoding.decode(encoded, plusIsSpace: true)
            let text = String(decoding: bytes.lazy.filter { $0 != 0 }, as: UTF8.self)
            // What is no UTF-8 is replaced, and is then another text than was sent.
            let isExact = isEncoded && text.utf8.elementsEqual(bytes)
            guard CombiningMarks.areFew(in: text, work: &work) else { return (CombiningMarks.cut(text), false) }
            return (text, isExact)
        }
    }
}
