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
