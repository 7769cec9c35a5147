package import GatehouseWire

/// A value that writes itself as JSON, for the most frequent responses and for lists. Codable's containers cost ten times as much.
/// Inside other values it is written by ``JSONWriter`` like any other.
package protocol JSONWritable: Encodable {
    func write(to text: inout JSONBytes)
}

extension JSONWritable {
    package func encode(to encoder: any Encoder) throws {
        guard let writer = encoder as? JSONWriter else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "only a JSONWriter writes it"))
        }
        writer.writeItself(self)
    }
}

extension String: JSONWritable {
    package func write(to text: inout JSONBytes) { text.write(self) }
}

extension Int64: JSONWritable {
    package func write(to text: inout JSONBytes) { text.write(self) }
}

/// A JSON text under construction.
package struct JSONBytes {
    package var bytes: [UInt8] = []

    package init() {}

    // MARK: Objects, of values that write themselves

    package mutating func object(_ write: (inout JSONBytes) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        write(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    package mutating func member(_ name: StaticString, _ value: String) {
        self.name(name)
        write(value)
    }

    package mutating func member(_ name: StaticString, _ value: Int64) {
        self.name(name)
        write(value)
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        write(value)
    }

    /// Writes a rare value by its `Codable` conformance, and nothing for nil. The value must have no number that JSON lacks.
    package mutating func member(_ name: StaticString, encoded value: (some Encodable)?) {
        guard let value, let encoded = try? JSONWriter.bytes(of: value) else { return }
        self.name(name)
        bytes += encoded
    }

    /// Writes nothing for nil.
    package mutating func member<Value: JSONWritable>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        self.name(name)
        value.write(to: &self)
    }

    /// Writes nothing for nil.
    package mutating func member<Value: JSONWritable>(_ name: StaticString, _ values: [Value]?) {
        guard let values else { return }
        self.name(name)
        bytes.append(UInt8(ascii: "["))
        for value in values {
            separate()
            value.write(to: &self)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a comma, except before the first member. No value ends with an opening bracket.
    private mutating func separate() {
        guard let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") else { return }
        bytes.append(UInt8(ascii: ","))
    }

    // MARK: Values

    package mutating func write(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            guard !Self.isPlain(utf8) else { return bytes.append(contentsOf: utf8) }
            for byte in utf8 {
                if Self.isEscaped(byte) { writeEscaped(byte) } else { bytes.append(byte) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a text of a known length that has nothing to escape, such as a date.
    ///
    /// - Parameter fill: sets every byte.
    package mutating func write(plain length: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        bytes.append(UInt8(ascii: "\""))
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { text in
            text.initialize(repeating: 0)
            fill(text)
            bytes.append(contentsOf: text)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether nothing of a text is escaped. Eight bytes are looked at in one step: each of these sums has a byte's highest bit if that byte
    /// of the word is small, a quote or a backslash.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let all = UnsafeRawBufferPointer(text)
        let words = all.count & ~7
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        var found: UInt64 = 0
        for offset in stride(from: 0, to: words, by: 8) {
            let word = all.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let (quotes, backslashes) = (word ^ ones &* 0x22, word ^ ones &* 0x5c)
            found |= (word &- ones &* 0x20) & ~word
            found |= (quotes &- ones) & ~quotes
            found |= (backslashes &- ones) & ~backslashes
        }
        return found & highs == 0 && !all[words...].contains(where: isEscaped)
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func writeEscaped(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        guard byte < 0x20 else { return bytes.append(byte) }
        bytes.append(contentsOf: (byte < 16 ? "u000" : "u00").utf8)
        bytes.append(contentsOf: String(byte, radix: 16).utf8)
    }

    package mutating func write(_ number: some BinaryInteger) { bytes.append(contentsOf: number.description.utf8) }
    package mutating func write(_ flag: Bool) { bytes.append(contentsOf: (flag ? "true" : "false").utf8) }
}

// The contract's most frequent values. Each writes what its `Codable` conformance would write.

extension Login: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("member", member)
            text.member("provider", provider.rawValue)
            text.member("session", session)
            text.member("standing", standing)
            text.member("serverDate", serverDate)
            text.member("migrated", encoded: migrated)
        }
    }
}

extension SessionRenewal: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("session", session)
            text.member("serverDate", serverDate)
        }
    }
}

extension MemberChange: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("member", member)
            text.member("standing", standing)
            text.member("serverDate", serverDate)
        }
    }
}

extension Member: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("appId", appId.rawValue)
            text.member("userId", userId.rawValue)
            text.member("status", status.rawValue)
            text.member("registrationDate", registrationDate)
            text.member("lastLoginDate", lastLoginDate)
            text.member("mappings", mappings)
            text.member("temporaryWithdrawal", temporaryWithdrawal)
            text.member("graceBan", encoded: graceBan)
        }
    }
}

extension Mapping: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("provider", provider.rawValue)
            text.member("subject", subject)
            text.member("registrationDate", registrationDate)
            text.member("revokedDate", revokedDate)
        }
    }
}

extension TemporaryWithdrawal: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { $0.member("gracePeriodDate", gracePeriodDate) }
    }
}

extension SessionTokens: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("accessToken", accessToken.secretValue)
            text.member("accessTokenExpiryDate", accessTokenExpiryDate)
            text.member("refreshToken", refreshToken?.secretValue)
            text.member("sessionExpiryDate", sessionExpiryDate)
        }
    }
}

extension Standing: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("isPlayable", isPlayable)
            text.member("reason", reason.rawValue)
            text.member("untilDate", untilDate)
            text.member("launchingStatus", Int64(launchingStatus.rawValue))
            text.member("memberStatus", memberStatus.rawValue)
            text.member("message", message)
            text.member("actions", actions.map(\.rawValue))
            text.member("revokedProviders", revokedProviders?.map(\.rawValue))
            text.member("updateURL", updateURL)
        }
    }
}
