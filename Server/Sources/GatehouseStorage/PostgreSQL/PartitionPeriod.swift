import GatehousePlatform

extension DividedTable.Period {
    private static let dayMilliseconds: Int64 = 86_400_000
    private static let hourMilliseconds: Int64 = 3_600_000

    /// The beginning of the period with a moment, or of one that is some periods later.
    func beginning(of milliseconds: Int64, shiftedBy count: Int64) -> Int64 {
        switch self {
        case .hour: return (milliseconds.floorDivided(by: Self.hourMilliseconds) + count) * Self.hourMilliseconds
        case .day: return (milliseconds.floorDivided(by: Self.dayMilliseconds) + count) * Self.dayMilliseconds
        case .month:
            let (year, month, _) = CivilDay.date(of: milliseconds.floorDivided(by: Self.dayMilliseconds))
            let months = year * 12 + month - 1 + count
            let shiftedYear = months.floorDivided(by: 12)
            return CivilDay.number(year: shiftedYear, month: months - shiftedYear * 12 + 1, day: 1)
                * Self.dayMilliseconds
        }
    }

    /// The digits of a period's beginning: year, month and day, and of an hour that, too.
    func number(at begin: Int64) -> Int64 {
        let days = begin.floorDivided(by: Self.dayMilliseconds)
        let (year, month, day) = CivilDay.date(of: days)
        let date = (year * 100 + month) * 100 + day
        return self == .hour ? date * 100 + (begin - days * Self.dayMilliseconds) / Self.hourMilliseconds : date
    }
}
