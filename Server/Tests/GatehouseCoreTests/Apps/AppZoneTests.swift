import GatehouseSecurity
import Testing

@testable import GatehouseCore

@Suite struct AppZoneTests {
    /// Days on which clocks change, with the day after some of them, and the day's first second in UTC.
    @Test(
        "A day begins at its first second, also where clocks change on it, and where they have no midnight",
        arguments: [
            // 2024-03-31 and 2024-10-27, and the days after them: clocks change at two and at three o'clock.
            ("Europe/Berlin", 19_813, 1_711_839_600), ("Europe/Berlin", 19_814, 1_711_922_400),
            ("Europe/Berlin", 20_023, 1_729_980_000), ("Europe/Berlin", 20_024, 1_730_070_000),
            // 2024-03-31 begins at one o'clock; 2024-10-26 has 25 hours, the last one twice.
            ("Asia/Beirut", 19_813, 1_711_836_000), ("Asia/Beirut", 20_022, 1_729_890_000),
            ("Asia/Beirut", 20_023, 1_729_980_000),
            // 2024-04-26 begins at one o'clock; 2024-10-31 has 25 hours.
            ("Africa/Cairo", 19_839, 1_714_082_400), ("Africa/Cairo", 20_027, 1_730_322_000),
            ("Africa/Cairo", 20_028, 1_730_412_000),
            // 2024-03-10, 2024-11-03 and the day after.
            ("America/New_York", 19_792, 1_710_046_800), ("America/New_York", 20_030, 1_730_606_400),
            ("America/New_York", 20_031, 1_730_696_400),
            // 2024-04-07 and 2024-09-29: UTC's midnight is after the change, and the day begins before it.
            ("Pacific/Auckland", 19_820, 1_712_401_200), ("Pacific/Auckland", 19_995, 1_727_524_800),
            ("Pacific/Auckland", 19_996, 1_727_607_600),
            ("Asia/Seoul", 19_813, 1_711_810_800), (nil, 19_813, 1_711_843_200),
        ] as [(String?, Int64, Int64)])
    func begin(zone name: String?, day: Int64, seconds: Int64) {
        let zone = AppZone(name: name)
        let begin = zone.begin(ofDay: day)
        #expect(begin == Moment(milliseconds: seconds * 1_000))
        #expect(zone.day(of: begin) == day && zone.day(of: begin.adding(seconds: -1)) == day - 1)
    }

    @Test("A day that no calendar has is no trap", arguments: [Int64.min, -1_000_000_000_000, 1_000_000_000_000, .max])
    func far(day: Int64) {
        for name in [nil, "Asia/Seoul", "Africa/Cairo"] as [String?] { _ = AppZone(name: name).begin(ofDay: day) }
    }
}
