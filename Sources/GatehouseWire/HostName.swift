/// The names of hosts, as browsers send them: in small letters, and in other scripts than Latin as `xn--` (RFC 5890 section 2.3.2.1).
enum HostName {
    /// The name in its normal form, without a dot at its end; nil for what no host is called.
    static func normalForm(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let name = PathSegment.unescape(String(decoding: bytes, as: UTF8.self)) else { return nil }
        var labels = name.unicodeScalars.split(omittingEmptySubsequences: false) { dots.contains($0) }
        if labels.count > 1, labels.last?.isEmpty ?? false { labels.removeLast() }
        let normal = labels.compactMap { normalForm(ofLabel: $0) }
        guard normal.count == labels.count else { return nil }
        let text = normal.joined(separator: ".")
        return text.utf8.count <= 253 ? text : nil
    }

    /// The dots that keyboards of East Asia type count as dots (RFC 3490 section 3.1).
    private static let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{ff0e}", "\u{ff61}"]

    private static func normalForm(ofLabel label: Substring.UnicodeScalarView) -> String? {
        let small = label.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
        guard (1...63).contains(small.count), small.allSatisfy(isPlain) else { return nil }
        let isASCII = small.allSatisfy(\.isASCII)
        let text = isASCII ? String(String.UnicodeScalarView(small)) : "xn--" + Punycode.encode(small)
        return text.utf8.count <= 63 ? text : nil
    }

    /// Whether a browser sends a code point as it is. Others would be replaced, or would join the letter before them, by tables that the
    /// standard library lacks. An operator can write such a name in its `xn--` form.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return isLetterOrDigit(UInt8(ascii: scalar)) || scalar == "-" || scalar == "_" }
        guard !joining.contains(where: { $0.contains(scalar.value) }), !scalar.properties.changesWhenNFKCCaseFolded
        else { return false }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: return true
        default: return false
        }
    }

    /// Accents, the voicing marks of kana, and the parts of Hangul syllables.
    private static let joining: [ClosedRange<UInt32>] = [
        0x300...0x36f, 0x1100...0x11ff, 0x3099...0x309a, 0xa960...0xa97f, 0xd7b0...0xd7ff,
    ]

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }
}

/// Letters of all scripts as ASCII (RFC 3492).
enum Punycode {
    /// Encodes a label of at most 63 code points, so that no sum overflows.
    static func encode(_ label: [Unicode.Scalar]) -> String {
        let code = label.map { Int64($0.value) }
        var output = label.filter(\.isASCII).map { UInt8(ascii: $0) }
        let plain = output.count
        if plain > 0 { output.append(UInt8(ascii: "-")) }
        var (least, delta, bias, done) = (Int64(128), Int64(0), Int64(72), plain)
        while done < code.count, let next = code.filter({ $0 >= least }).min() {
            delta += (next - least) * Int64(done + 1)
            least = next
            for value in code {
                if value < least { delta += 1 }
                guard value == least else { continue }
                write(delta, bias, to: &output)
                bias = adapted(delta, after: done + 1, isFirst: done == plain)
                delta = 0
                done += 1
            }
            delta += 1
            least += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func write(_ delta: Int64, _ bias: Int64, to output: inout [UInt8]) {
        var (rest, place) = (delta, Int64(36))
        while true {
            let threshold = min(max(place - bias, 1), 26)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            place += 36
        }
        output.append(digit(rest))
    }

    private static func adapted(_ delta: Int64, after points: Int, isFirst: Bool) -> Int64 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / Int64(points)
        var bias: Int64 = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }

    /// The letters are the first 26 digits.
    private static func digit(_ value: Int64) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? 0x61 + value : 0x30 + value - 26)
    }
}

/// The text of IPv6 addresses.
enum IPv6 {
    /// An address as RFC 5952 writes it, without brackets; nil for what is none.
    static func normalForm(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let groups = groups(bytes) else { return nil }
        // The first of the longest rows of zeros, if it has more than one.
        var gap = 0..<0
        var start = 0
        while start < groups.count {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start > max(gap.count, 1) { gap = start..<end }
            start = end + 1
        }
        let texts = groups.map { String($0, radix: 16) }
        guard !gap.isEmpty else { return texts.joined(separator: ":") }
        return texts[..<gap.lowerBound].joined(separator: ":") + "::"
            + texts[gap.upperBound...].joined(separator: ":")
    }

    private static let colon = UInt8(ascii: ":")

    private static func groups(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
        guard let gap = bytes.indices.dropLast().first(where: { bytes[$0] == colon && bytes[$0 + 1] == colon }) else {
            return listed(bytes, mayEndWithIPv4: true).flatMap { $0.count == 8 ? $0 : nil }
        }
        guard let head = listed(bytes[..<gap], mayEndWithIPv4: false),
            let tail = listed(bytes[(gap + 2)...], mayEndWithIPv4: true), head.count + tail.count < 8
        else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func listed(_ bytes: ArraySlice<UInt8>, mayEndWithIPv4: Bool) -> [UInt16]? {
        guard !bytes.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = bytes.split(separator: colon, omittingEmptySubsequences: false)
        for (place, part) in zip(parts.indices, parts) {
            if mayEndWithIPv4, place == parts.endIndex - 1, part.contains(UInt8(ascii: ".")) {
                guard let last = ipv4(part) else { return nil }
                groups += last
                continue
            }
            let digits = part.compactMap(PathSegment.number)
            guard (1...4).contains(part.count), digits.count == part.count else { return nil }
            groups.append(digits.reduce(UInt16(0)) { $0 << 4 | UInt16($1) })
        }
        return groups
    }

    private static func ipv4(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part -> UInt16? in
            guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            let value = part.reduce(UInt16(0)) { $0 * 10 + UInt16($1 - 0x30) }
            return value <= 255 ? value : nil
        }
        guard parts.count == 4, numbers.count == 4 else { return nil }
        return [numbers[0] << 8 | numbers[1], numbers[2] << 8 | numbers[3]]
    }
}
