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

/// How a time zone goes on after the last change that its file lists: the text of POSIX's variable TZ, such as `EST5EDT,M3.2.0,M11.1.0`
/// (RFC 9636, section 3.3.2).
struct TimeZoneRule: Sendable {
    struct Period: Sendable, Hashable {
        var offsetSeconds: Int64
        var abbreviation: String
    }

    /// A moment of each year, in local time.
    private struct Change: Sendable {
        enum Day: Sendable {
            /// 1 to 365; the 29th of February is never counted.
            case julian(Int64)
            /// 0 to 365.
            case ordinal(Int64)
            /// The weekday (0 is Sunday) in a week of a month; the fifth week is the last.
            case weekday(Int64, week: Int64, month: Int64)
        }

        let day: Day
        var seconds: Int64 = 7_200

        /// Seconds since 1970, as if local time were UTC.
        func local(in year: Int64) -> Int64 {
            let begin = CivilDay.number(year: year, month: 1, day: 1)
            let number =
                switch day {
                case .julian(let day): begin + day - 1 + (CivilDay.isLeap(year) && day >= 60 ? 1 : 0)
                case .ordinal(let day): begin + day
                case .weekday(let weekday, let week, let month):
                    CivilDay.number(weekday: weekday, week: week, month: month, year: year)
                }
            return number * 86_400 + seconds
        }
    }

    private let standard: Period
    private let summer: Period?
    private var begin: Change?
    private var end: Change?

    /// Nil if the text is not a rule.
    init?(_ text: String) {
        var reader = Reader(rest: text.utf8[...])
        guard let name = reader.name(), let offset = reader.time() else { return nil }
        standard = Period(offsetSeconds: -offset, abbreviation: name)
        guard !reader.rest.isEmpty else {
            summer = nil
            return
        }
        guard let summerName = reader.name() else { return nil }
        var summerOffset = -offset + 3_600
        if reader.rest.first != UInt8(ascii: ",") {
            guard let own = reader.time() else { return nil }
            summerOffset = -own
        }
        summer = Period(offsetSeconds: summerOffset, abbreviation: summerName)
        guard let begin = Self.change(&reader), let end = Self.change(&reader), reader.rest.isEmpty else { return nil }
        self.begin = begin
        self.end = end
    }

    /// What holds at a moment.
    ///
    /// - Parameter seconds: since 1970, in UTC.
    func period(at seconds: Int64) -> Period {
        guard let summer, let begin, let end else { return standard }
        let year = CivilDay.date(of: (seconds + standard.offsetSeconds).floorDivided(by: 86_400)).year
        let summerBegins = begin.local(in: year) - standard.offsetSeconds
        let summerEnds = end.local(in: year) - summer.offsetSeconds
        // In the south, summer lasts over the end of the year.
        let isSummer =
            summerBegins < summerEnds
            ? seconds >= summerBegins && seconds < summerEnds : seconds >= summerBegins || seconds < summerEnds
        return isSummer ? summer : standard
    }

    private static func change(_ reader: inout Reader) -> Change? {
        guard reader.take(",") else { return nil }
        var change: Change
        if reader.take("M") {
            guard let month = reader.number(in: 1...12), reader.take("."), let week = reader.number(in: 1...5),
                reader.take("."),
                let weekday = reader.number(in: 0...6)
            else { return nil }
            change = Change(day: .weekday(weekday, week: week, month: month))
        } else if reader.take("J") {
            guard let day = reader.number(in: 1...365) else { return nil }
            change = Change(day: .julian(day))
        } else {
            guard let day = reader.number(in: 0...365) else { return nil }
            change = Change(day: .ordinal(day))
        }
        if reader.take("/") {
            guard let time = reader.time() else { return nil }
            change.seconds = time
        }
        return change
    }

    private struct Reader {
        var rest: Substring.UTF8View

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard let first = rest.first, UInt32(first) == character.value else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// Letters, or anything in angle brackets.
        mutating func name() -> String? {
            let isQuoted = take("<")
            let name = rest.prefix {
                isQuoted ? $0 != UInt8(ascii: ">") : (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
            }
            rest = rest[name.endIndex...]
            guard !name.isEmpty, !isQuoted || take(">") else { return nil }
            return String(Substring(name))
        }

        mutating func number(in range: ClosedRange<Int64>) -> Int64? {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest[digits.endIndex...]
            return Int64(Substring(digits)).flatMap { range.contains($0) ? $0 : nil }
        }

        /// Hours, minutes and seconds, with a sign, in seconds.
        mutating func time() -> Int64? {
            let isNegative = take("-")
            if !isNegative { _ = take("+") }
            guard var seconds = number(in: 0...167).map({ $0 * 3_600 }) else { return nil }
            for unit in [60, 1] as [Int64] where take(":") {
                guard let count = number(in: 0...59) else { return nil }
                seconds += count * unit
            }
            return isNegative ? -seconds : seconds
        }
    }
}
