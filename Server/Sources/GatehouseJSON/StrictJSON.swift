import GatehousePlatform

/// A parser for untrusted JSON (RFC 8259). It refuses what lenient parsers interpret differently: duplicate names, lone surrogates,
/// NUL, invalid UTF-8, numbers that no type holds, and documents that are too deep or have too many values.
package struct StrictJSON {
    package enum Value: Equatable, Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        case number(Double)
        case string(String)
        case array([Value])
        case object([(name: String, value: Value)])

        /// The member of an object, or nil. Names are compared by their bytes.
        package subscript(_ name: String) -> Value? {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.name.isExactly(name) }?.value
        }

        package var string: String? {
            if case .string(let value) = self { value } else { nil }
        }

        package var integer: Int64? {
            if case .integer(let value) = self { value } else { nil }
        }

        package static func == (one: Value, other: Value) -> Bool {
            switch (one, other) {
            case (.null, .null): true
            case (.bool(let a), .bool(let b)): a == b
            case (.integer(let a), .integer(let b)): a == b
            case (.number(let a), .number(let b)): a == b
            case (.string(let a), .string(let b)): a.isExactly(b)
            case (.array(let a), .array(let b)): a == b
            case (.object(let a), .object(let b)):
                a.count == b.count && zip(a, b).allSatisfy { $0.name.isExactly($1.name) && $0.value == $1.value }
            default: false
            }
        }
    }

    /// What is wrong and where, without any bytes of the document, because it may contain a secret.
    package struct Failure: Error, Equatable {
        package let reason: String
        package let offset: Int
    }

    package static let maximumDepth = 16
    package static let maximumValues = 2_000
    package static let maximumMembers = 128

    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var values = 0
    /// The number of bytes that were looked at once more, for the test that limits them.
    private var repeatedWork = 0

    package static func parse(_ bytes: some Collection<UInt8>) throws(Failure) -> Value {
        var work = 0
        return try parse(bytes, work: &work)
    }

    /// - Parameter work: the number of bytes that the parser has read, counting repeated reads.
    package static func parse(_ bytes: some Collection<UInt8>, work: inout Int) throws(Failure) -> Value {
        let result: Result<Value, Failure>? = bytes.withContiguousStorageIfAvailable { buffer in
            Result { () throws(Failure) in try parse(buffer: buffer, work: &work) }
        }
        guard let result else { return try parse(Array(bytes), work: &work) }
        return try result.get()
    }

    private static func parse(buffer: UnsafeBufferPointer<UInt8>, work: inout Int) throws(Failure) -> Value {
        var parser = StrictJSON(bytes: buffer)
        defer { work = parser.offset + parser.repeatedWork }
        try parser.skipMark()
        parser.skipSpace()
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.offset == buffer.count else { throw parser.failure("something follows the value") }
        return value
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private func failure(_ reason: String) -> Failure { Failure(reason: reason, offset: offset) }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Passes over a byte order mark, which some libraries write in front of UTF-8 (RFC 8259 section 8.1). UTF-16 is told by its own mark, or
    /// by the NUL that each of its ASCII characters has.
    private mutating func skipMark() throws(Failure) {
        guard bytes.count > 1 else { return }
        switch (bytes[0], bytes[1]) {
        case (0xef, 0xbb) where bytes.count > 2 && bytes[2] == 0xbf: offset = 3
        case (0xff, 0xfe), (0xfe, 0xff), (0, _), (_, 0): throw failure("it is UTF-16 or UTF-32, and not UTF-8")
        default: break
        }
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { offset += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(Failure) -> Value {
        values += 1
        guard values <= Self.maximumValues else { throw failure("too many values") }
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case nil: throw failure("the document ends too early")
        default: return try number()
        }
    }

    private mutating func literal(_ word: StaticString, _ value: Value) throws(Failure) -> Value {
        for index in 0..<word.utf8CodeUnitCount {
            guard take(word.utf8Start[index]) else { throw failure("an unknown word") }
        }
        return value
    }

    private mutating func object(depth: Int) throws(Failure) -> Value {
        guard depth <= Self.maximumDepth else { throw failure("nested too deep") }
        offset += 1
        var members: [(name: String, value: Value)] = []
        var names = Names()
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("a name is missing") }
            let name = try string()
            guard names.insert(name, work: &repeatedWork) else { throw failure("a name stands twice") }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw failure("a colon is missing") }
            skipSpace()
            members.append((name, try value(depth: depth)))
            guard members.count <= Self.maximumMembers else { throw failure("too many members") }
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw failure("an object is not closed") }
        return .object(members)
    }

    /// The names of one object. A few are compared with each other; more are found by their hashes, so that the work always stays
    /// linear in their bytes.
    private struct Names {
        private static let few = 8

        private var names: [String] = []
        /// Maps the hash of a name to its index. Each process uses a new random seed, so that nobody outside can make names collide.
        private var places: [Int: Int] = [:]

        /// False for a name that already exists.
        mutating func insert(_ name: String, work: inout Int) -> Bool {
            if names.count < Self.few {
                for other in names where isSame(name, other, work: &work) { return false }
            } else {
                if places.isEmpty {
                    for (place, other) in names.enumerated() { places[hash(other, work: &work)] = place }
                }
                let hash = hash(name, work: &work)
                if let place = places[hash] {
                    // If two different names have the same hash, the new name is compared with all others.
                    guard !isSame(name, names[place], work: &work), !names.contains(where: name.isExactly) else {
                        return false
                    }
                }
                places[hash] = names.count
            }
            names.append(name)
            return true
        }

        private func isSame(_ one: String, _ other: String, work: inout Int) -> Bool {
            guard one.utf8.count == other.utf8.count else { return false }
            work += one.utf8.count
            return one.isExactly(other)
        }

        private func hash(_ name: String, work: inout Int) -> Int {
            work += name.utf8.count
            return ExactText(name).hashValue
        }
    }

    private mutating func array(depth: Int) throws(Failure) -> Value {
        guard depth <= Self.maximumDepth else { throw failure("nested too deep") }
        offset += 1
        var elements: [Value] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        repeat {
            skipSpace()
            elements.append(try value(depth: depth))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw failure("an array is not closed") }
        return .array(elements)
    }

    private mutating func number() throws(Failure) -> Value {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        guard offset - start <= 40 else { throw failure("a number is too long") }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw failure("a number is too large") }
        return .number(number)
    }

    private mutating func digits() throws(Failure) {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        guard offset > start else { throw failure("a digit is missing") }
    }

    private mutating func string() throws(Failure) -> String {
        offset += 1
        let start = offset
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            guard byte >= 0x20 else { throw failure("a control character in a string") }
            offset += 1
        }
        guard let plain = String(validating: bytes[start..<offset], as: UTF8.self) else {
            throw failure("invalid UTF-8")
        }
        let text = try take(UInt8(ascii: "\"")) ? plain : stringWithEscapes(after: plain)
        guard CombiningMarks.areFew(in: text, work: &repeatedWork) else { throw failure("too many marks on a letter") }
        return text
    }

    private mutating func stringWithEscapes(after plain: String) throws(Failure) -> String {
        var text = plain
        while let byte = next {
            if take(UInt8(ascii: "\"")) { return text }
            if byte == UInt8(ascii: "\\") {
                offset += 1
                text.unicodeScalars.append(try escape())
                continue
            }
            let start = offset
            while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                guard byte >= 0x20 else { throw failure("a control character in a string") }
                offset += 1
            }
            guard let run = String(validating: bytes[start..<offset], as: UTF8.self) else {
                throw failure("invalid UTF-8")
            }
            text += run
        }
        throw failure("a string is not closed")
    }

    private mutating func escape() throws(Failure) -> Unicode.Scalar {
        guard let letter = next else { throw failure("a string is not closed") }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw failure("an unknown escape")
        }
        var code = try hexadecimal()
        if (0xd800...0xdbff).contains(code) {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw failure("a lone surrogate") }
            let low = try hexadecimal()
            guard (0xdc00...0xdfff).contains(low) else { throw failure("a lone surrogate") }
            code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
        }
        // PostgreSQL can't store NUL, so it is refused for all engines.
        guard code != 0 else { throw failure("NUL in a string") }
        guard let scalar = Unicode.Scalar(code) else { throw failure("a lone surrogate") }
        return scalar
    }

    private mutating func hexadecimal() throws(Failure) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure("a \\u escape needs four digits")
            }
            code = code << 4 | UInt32(digit)
            offset += 1
        }
        return code
    }
}

/// A text that equals another only if their bytes are equal. Swift's own comparison treats texts that look alike as equal, such as `é`
/// and `e` with an accent, which the database does not. It also normalises them, which makes comparing untrusted texts several times as
/// expensive.
package struct ExactText: Sendable, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: ExactText, other: ExactText) -> Bool { one.text.isExactly(other.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether both have the same bytes.
    package func isExactly(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
