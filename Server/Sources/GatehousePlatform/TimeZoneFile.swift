/// The content of a file of the time zone database (TZif, RFC 9636).
struct TimeZoneFile: Sendable {
    typealias Period = TimeZoneRule.Period

    /// When periods begin, in seconds since 1970, and which.
    private let begins: [Int64]
    private let kinds: [UInt8]
    private let periods: [Period]
    /// What holds after the last change; nil if the file says nothing about it.
    private let rule: TimeZoneRule?

    /// Nil if the bytes are no such file, or one of version 1, which no system has had for fifteen years.
    init?(_ bytes: [UInt8]) {
        var reader = Reader(rest: bytes[...])
        // The first half has times of 32 bits, for old programs.
        guard let old = Header(&reader), old.version >= UInt8(ascii: "2"), reader.skip(old.dataBytes(timeBytes: 4)),
            let header = Header(&reader), header.types > 0, header.dataBytes(timeBytes: 8) <= reader.rest.count
        else { return nil }
        begins = (0..<header.times).map { _ in reader.integer(bytes: 8) }
        kinds = (0..<header.times).map { _ in UInt8(truncatingIfNeeded: reader.integer(bytes: 1)) }
        let types = (0..<header.types).map { _ in
            (
                offset: reader.integer(bytes: 4), _: reader.integer(bytes: 1),
                name: Int(UInt8(truncatingIfNeeded: reader.integer(bytes: 1)))
            )
        }
        let names = Array(reader.rest.prefix(header.characters))
        guard kinds.allSatisfy({ Int($0) < types.count }), types.allSatisfy({ $0.name < names.count }),
            zip(begins, begins.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        periods = types.map { type in
            Period(
                offsetSeconds: type.offset,
                abbreviation: String(decoding: names[type.name...].prefix { $0 != 0 }, as: UTF8.self))
        }
        _ = reader.skip(header.characters + header.leapSeconds * 12 + header.standards + header.universals + 1)
        let footer = reader.rest.prefix { $0 != UInt8(ascii: "\n") }
        rule = TimeZoneRule(String(decoding: footer, as: UTF8.self))
        guard rule != nil || footer.isEmpty else { return nil }
    }

    func period(at seconds: Int64) -> Period {
        if let last = begins.last, seconds < last {
            // The first period that begins later; what was before the first change is the first kind.
            var low = 0
            var high = begins.count
            while low < high {
                let middle = (low + high) / 2
                if begins[middle] <= seconds { low = middle + 1 } else { high = middle }
            }
            return periods[low == 0 ? 0 : Int(kinds[low - 1])]
        }
        return rule?.period(at: seconds) ?? periods[kinds.last.map(Int.init) ?? 0]
    }

    private struct Header {
        let version: UInt8
        let universals: Int
        let standards: Int
        let leapSeconds: Int
        let times: Int
        let types: Int
        let characters: Int

        init?(_ reader: inout Reader) {
            guard reader.rest.count >= 44, reader.rest.starts(with: "TZif".utf8) else { return nil }
            _ = reader.skip(4)
            version = UInt8(truncatingIfNeeded: reader.integer(bytes: 1))
            _ = reader.skip(15)
            let counts = (0..<6).map { _ in Int(reader.integer(bytes: 4)) }
            guard counts.allSatisfy({ (0...1 << 20).contains($0) }) else { return nil }
            universals = counts[0]
            standards = counts[1]
            leapSeconds = counts[2]
            times = counts[3]
            types = counts[4]
            characters = counts[5]
        }

        func dataBytes(timeBytes: Int) -> Int {
            times * (timeBytes + 1) + types * 6 + characters + leapSeconds * (timeBytes + 4) + standards + universals
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func skip(_ count: Int) -> Bool {
            guard rest.count >= count else { return false }
            rest = rest.dropFirst(count)
            return true
        }

        /// A number with its sign, the highest byte first.
        mutating func integer(bytes: Int) -> Int64 {
            let value = rest.prefix(bytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(bytes)
            let unused = 64 - 8 * bytes
            return Int64(bitPattern: value << UInt64(unused)) >> Int64(unused)
        }
    }
}
