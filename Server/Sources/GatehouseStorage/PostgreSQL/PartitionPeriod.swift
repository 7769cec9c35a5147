extension DividedTable.Period {
    /// The beginning of the period with a moment, or of one that is some periods later.
    func beginning(of milliseconds: Int64, shiftedBy count: Int64) -> Int64 {
        switch self {
        case .hour: (milliseconds.flooredQuotient(by: 3_600_000) + count) * 3_600_000
        case .day: (milliseconds.flooredQuotient(by: 86_400_000) + count) * 86_400_000
        case .month: CivilDate(milliseconds: milliseconds).firstOfMonth(shiftedBy: count)
        }
    }
}

/// A date of the Gregorian calendar, UTC. The calculation is Howard Hinnant's, with years that begin in March.
struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64
    let hour: Int64

    init(milliseconds: Int64) {
        let days = milliseconds.flooredQuotient(by: 86_400_000)
        hour = (milliseconds - days * 86_400_000) / 3_600_000
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The first moment of a month, counted from this date's.
    func firstOfMonth(shiftedBy count: Int64) -> Int64 {
        let months = year * 12 + month - 1 + count
        let (year, month) = (months.flooredQuotient(by: 12), months - months.flooredQuotient(by: 12) * 12 + 1)
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredQuotient(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return days * 86_400_000
    }
}

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
