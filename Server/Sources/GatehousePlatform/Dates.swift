/// Days since 1970 of the Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
package enum CivilDay {
    static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    package static func number(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Years that begin in March have their odd day at the end.
        let year = month <= 2 ? year - 1 : year
        let era = year.floorDivided(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package static func date(of number: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = number + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
    }

    /// A weekday (0 is Sunday) in a week of a month; the fifth week is the last.
    static func number(weekday: Int64, week: Int64, month: Int64, year: Int64) -> Int64 {
        let first = number(year: year, month: month, day: 1)
        // The first of January 1970 was a Thursday.
        let firstWeekday = (first + 4) - (first + 4).floorDivided(by: 7) * 7
        let day = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
        let next = number(year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
        return day < next ? day : day - 7
    }
}

extension Int64 {
    /// Rounds towards minus infinity. The divisor must be positive.
    package func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

/// The date of an HTTP response (RFC 9110 section 5.6.7), in its preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`. An e-mail has the same
/// with another name of the zone (RFC 5322 section 3.3).
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// - Parameters:
    ///   - seconds: since 1970.
    ///   - zone: what UTC is called.
    package static func text(_ seconds: Int64, zone: String = "GMT") -> String {
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second, .weekday],
            from: Date(timeIntervalSince1970: Double(seconds)))
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        let (day, month) = (days[((parts.weekday ?? 1) - 1) % 7], months[((parts.month ?? 1) - 1) % 12])
        return "\(day), \(two(parts.day)) \(month) \(parts.year ?? 1_970) "
            + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) \(zone)"
    }

    /// The seconds since 1970; nil for another form.
    package static func seconds(_ text: String) -> Int64? {
        let parts = text.parts(at: " ")
        guard text.utf8.count == 29, parts.count == 6, parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let numbers = ([parts[1], parts[3]] + parts[4].parts(at: ":")).compactMap { Int($0) }
        guard numbers.count == 5, (1_970...9_999).contains(numbers[1]) else { return nil }
        let components = DateComponents(
            year: numbers[1], month: month + 1, day: numbers[0], hour: numbers[2], minute: numbers[3],
            second: numbers[4])
        return calendar.date(from: components).map { Int64($0.timeIntervalSince1970) }
    }
}

/// Texts that begin with a time and grow with it: 48 bits of milliseconds since 1970 in ten letters of base 32.
package enum TimeOrderedText {
    /// In their order.
    package static let letters = Array("0123456789abcdefghijklmnopqrstuv".utf8)
    package static let length = 26
    private static let timeLength = 10

    /// The first text of a moment.
    package static func first(at milliseconds: Int64) -> String {
        let time = UInt64(clamping: milliseconds) & (1 << 48 - 1)
        let digits = (0..<timeLength).map { letters[Int(time >> (45 - 5 * UInt64($0)) & 31)] }
        let zeros = [UInt8](repeating: letters[0], count: length - timeLength)
        return String(decoding: digits + zeros, as: UTF8.self)
    }

    /// The moment of a text, or of its beginning. Nil if it has other letters there, or a time of more than 48 bits.
    package static func milliseconds(of text: String) -> Int64? {
        var time: Int64 = 0
        let digits = Array(text.utf8.prefix(timeLength))
        for place in 0..<timeLength {
            guard place < digits.count else {
                time <<= 5
                continue
            }
            guard let digit = letters.firstIndex(of: digits[place]) else { return nil }
            time = time << 5 | Int64(digit)
        }
        return time < 1 << 48 ? time : nil
    }
}
