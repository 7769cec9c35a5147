import GatehouseJSON
import GatehousePlatform

/// An object of another system's file. Its unknown members are counted, and its numbers may be texts.
struct SourceObject {
    private let object: RecordObject

    init(_ value: StrictJSON.Value, at path: String = "") throws(RecordProblem) {
        object = try RecordObject(value, at: path)
    }

    private init(_ object: RecordObject) { self.object = object }

    var path: String { object.path }
    var names: [String] { object.members.map(\.name) }
    var members: [(name: String, value: StrictJSON.Value)] { object.members }

    func place(_ name: String) -> String { object.place(name) }

    /// A value that is present and not null.
    func value(_ name: String) -> StrictJSON.Value? { object.value(name) }

    func has(_ name: String) -> Bool { object.members.contains { $0.name.isExactly(name) } }

    /// A text; nil if it is absent or empty. What is written of it has its limits in the draft.
    func text(_ name: String) throws(RecordProblem) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else {
            throw RecordProblem(.badType, at: place(name), "it must be a text")
        }
        return text.isEmpty ? nil : text
    }

    func flag(_ name: String) throws(RecordProblem) -> Bool {
        guard let value = value(name) else { return false }
        guard case .bool(let flag) = value else {
            throw RecordProblem(.badType, at: place(name), "it must be true or false")
        }
        return flag
    }

    /// A moment in units since 1970, as a number or as a text of digits.
    ///
    /// - Parameter unit: the milliseconds of a unit.
    func number(_ name: String, unit: Int64 = 1) throws(RecordProblem) -> Int64? {
        guard let value = value(name) else { return nil }
        let number: Int64? =
            switch value {
            case .integer(let number): number
            case .string(let text): Int64(text)
            default: nil
            }
        guard let number, number >= 0, number <= ImportLimits.lastDate / unit else {
            throw RecordProblem(.badDate, at: place(name), "it must be a time between the years 1970 and 9999")
        }
        return number * unit
    }

    /// A moment as a text of ISO 8601, or in milliseconds.
    func date(_ name: String, zoneMinutes: Int? = nil) throws(RecordProblem) -> Int64? {
        guard case .string(let text)? = value(name) else { return try number(name) }
        return try SourceDate.read(text, zoneMinutes: zoneMinutes, at: place(name))
    }

    func object(_ name: String) throws(RecordProblem) -> SourceObject? {
        guard let value = value(name) else { return nil }
        return try SourceObject(value, at: place(name))
    }

    /// The objects of a list; nil if there is no list.
    func objects(_ name: String) throws(RecordProblem) -> [SourceObject]? {
        guard let value = value(name) else { return nil }
        return try Self.objects(value, at: place(name))
    }

    static func objects(_ value: StrictJSON.Value, at path: String) throws(RecordProblem) -> [SourceObject] {
        guard case .array(let values) = value else { throw RecordProblem(.badType, at: path, "it must be a list") }
        var objects: [SourceObject] = []
        for (index, value) in values.enumerated() { objects.append(try SourceObject(value, at: "\(path)[\(index)]")) }
        return objects
    }
}

/// Times as other systems write them.
enum SourceDate {
    /// Reads `2019-08-27T17:41:05.123+09:00`, with a space in the place of `T`, with any number of digits after the second, or none, and
    /// with or without a zone.
    ///
    /// - Parameter zoneMinutes: the zone of times without one; nil refuses them, because a guess would move them by hours.
    static func read(_ text: String, zoneMinutes: Int?, at path: String) throws(RecordProblem) -> Int64 {
        var scanner = Scanner(rest: Array(text.utf8)[...])
        guard let date = scanner.date(zoneMinutes), (0...ImportLimits.lastDate).contains(date) else {
            let needsZone = scanner.lacksZone ? ", with a zone: say --zone +09:00 if it has none" : ""
            throw RecordProblem(.badDate, at: path, "it must be a time between the years 1970 and 9999\(needsZone)")
        }
        return date
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>
        var lacksZone = false

        mutating func date(_ zoneMinutes: Int?) -> Int64? {
            guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
                (1...12).contains(month), day >= 1,
                CivilDay.date(of: CivilDay.number(year: year, month: month, day: day)).day == day
            else { return nil }
            guard take("T") || take(" "), let hour = number(2), take(":"), let minute = number(2), hour < 24,
                minute < 60
            else {
                return nil
            }
            var second: Int64 = 0
            if take(":") {
                guard let seconds = number(2), seconds < 60 else { return nil }
                second = seconds
            }
            guard let fraction = fraction(), let zone = zone(zoneMinutes), rest.isEmpty else { return nil }
            let days = CivilDay.number(year: year, month: month, day: day)
            return ((days * 24 + hour) * 60 + minute - zone) * 60_000 + second * 1_000 + fraction
        }

        private mutating func take(_ symbol: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: symbol) else { return false }
            rest.removeFirst()
            return true
        }

        private mutating func number(_ digits: Int) -> Int64? {
            let part = rest.prefix(digits)
            guard part.count == digits, part.allSatisfy(ASCII.isDigit) else { return nil }
            rest = rest.dropFirst(digits)
            return part.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }

        /// The milliseconds after the point; finer digits are cut off.
        private mutating func fraction() -> Int64? {
            guard take(".") else { return 0 }
            let digits = rest.prefix(while: ASCII.isDigit)
            guard (1...9).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
            return (digits + [0x30, 0x30, 0x30]).prefix(3).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }

        /// The minutes that a time is ahead of UTC.
        private mutating func zone(_ standard: Int?) -> Int64? {
            if rest.isEmpty {
                lacksZone = standard == nil
                return standard.map(Int64.init)
            }
            if take("Z") { return 0 }
            let sign: Int64 = take("-") ? -1 : 1
            guard sign == -1 || take("+"), let hours = number(2), hours < 24 else { return nil }
            _ = take(":")
            guard let minutes = rest.isEmpty ? 0 : number(2), minutes < 60 else { return nil }
            return sign * (hours * 60 + minutes)
        }
    }
}
