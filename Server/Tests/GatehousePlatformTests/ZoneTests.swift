import Foundation
import Testing

@testable import GatehousePlatform

@Suite struct ZoneTests {
    /// Foundation has the same database by another way, in ICU's form. Releases differ in what was found out about old times and in
    /// what was decided lately, so the years are those in between.
    @Test("Every zone has Foundation's offsets from 1972 to 2024, at and around each of its changes")
    func foundation() throws {
        let names = TimeZone.knownTimeZoneIdentifiers
        var compared = 0
        for name in names {
            guard let zone = Zone(named: name), let other = TimeZone(identifier: name) else { continue }
            compared += 1
            var wrong: [Int64] = []
            func compare(_ seconds: Int64) {
                let expected = Int64(other.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
                if zone.offsetSeconds(at: seconds) != expected { wrong.append(seconds) }
            }
            for seconds in stride(from: 63_072_000 as Int64, to: 1_704_067_200, by: 1_000_003) { compare(seconds) }
            var date = Date(timeIntervalSince1970: 946_684_800)
            while let next = other.nextDaylightSavingTimeTransition(after: date),
                next.timeIntervalSince1970 < 1_704_067_200
            {
                for distance in [-1, 0, 1] as [Int64] { compare(Int64(next.timeIntervalSince1970) + distance) }
                date = next
            }
            #expect(wrong.isEmpty, "\(name): \(wrong.prefix(3))")
        }
        #expect(compared > names.count * 9 / 10)
    }

    @Test(
        "A moment is written as clocks of its zone show it",
        arguments: [
            ("Asia/Seoul", 1_796_065_200, "2026-12-01 04:00 KST"), ("UTC", -1, "1969-12-31 23:59 UTC"),
            ("America/New_York", 1_782_921_540, "2026-07-01 11:59 EDT"), ("Asia/Dubai", 0, "1970-01-01 04:00 UTC+4"),
            ("UTC", 1_709_164_800, "2024-02-29 00:00 UTC"),
        ])
    func clock(name: String, seconds: Int64, text: String) throws {
        #expect(try #require(Zone(named: name)).time(at: seconds) == text)
        for far in [Int64.min, .max] { #expect(!Zone.universal.clock(at: far / 1_000).isEmpty) }
    }

    @Test(
        "A zone has one name: no other spelling of its path finds its file",
        arguments: [
            "Asia//Seoul", "Asia///Seoul", "/Asia/Seoul", "Asia/Seoul/", "//", "/", "", "Asia/./Seoul", "right/UTC",
        ])
    func names(name: String) {
        #expect(Zone(named: "Asia/Seoul") != nil && Zone(named: name) == nil)
    }

    @Test(
        "Years that no table lists follow the rule at its end",
        arguments: [
            // 2100-01-01, 2100-07-01.
            ("Asia/Seoul", 32_400, 32_400), ("America/New_York", -18_000, -14_400), ("Europe/Berlin", 3_600, 7_200),
            ("Pacific/Auckland", 46_800, 43_200), ("Australia/Lord_Howe", 39_600, 37_800), ("Europe/Dublin", 0, 3_600),
            ("Asia/Kathmandu", 20_700, 20_700), ("America/Sao_Paulo", -10_800, -10_800),
        ] as [(String, Int64, Int64)])
    func future(name: String, january: Int64, july: Int64) throws {
        let zone = try #require(Zone(named: name))
        #expect(zone.offsetSeconds(at: 4_102_444_800) == january)
        #expect(zone.offsetSeconds(at: 4_118_083_200) == july)
    }

    @Test(
        "A rule changes at its second",
        arguments: [
            // 2027-03-14 07:00 and 2027-11-07 06:00 UTC.
            ("EST5EDT,M3.2.0,M11.1.0", 1_805_007_600, -18_000, -14_400),
            ("EST5EDT,M3.2.0,M11.1.0", 1_825_567_200, -14_400, -18_000),
            // 2027-03-28 01:00 UTC, and the same as days of the year.
            ("CET-1CEST,M3.5.0,M10.5.0/3", 1_806_195_600, 3_600, 7_200),
            ("CET-1CEST,J87,J304/3", 1_806_195_600, 3_600, 7_200),
            ("CET-1CEST,86,303/3", 1_806_195_600, 3_600, 7_200),
            // 2027-04-03 14:00 UTC, in the south; and Greenland's change on the evening before.
            ("NZST-12NZDT,M9.5.0,M4.1.0/3", 1_806_760_800, 46_800, 43_200),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_806_195_600, -7_200, -3_600),
        ] as [(String, Int64, Int64, Int64)])
    func rules(text: String, change: Int64, before: Int64, after: Int64) throws {
        let rule = try #require(TimeZoneRule(text))
        #expect(rule.period(at: change - 1).offsetSeconds == before)
        #expect(rule.period(at: change).offsetSeconds == after)
    }

    @Test(
        "What is no rule is refused",
        arguments: [
            "", "5", "EST", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0", "<EST5",
            "EST5EDT,J0,J1",
            "EST5EDT,M3.2.0,M11.1.0 ", "EST168", "EST5:60",
        ])
    func noRule(text: String) {
        #expect(TimeZoneRule(text) == nil)
    }

    @Test("A zone has the name that people use, or its distance from UTC")
    func names() throws {
        let winter: Int64 = 1_768_435_200
        func name(_ zone: String) throws -> String { try #require(Zone(named: zone)).abbreviation(at: winter) }
        #expect(try name("Asia/Seoul") == "KST" && name("Asia/Tokyo") == "JST" && name("Europe/Berlin") == "CET")
        #expect(
            try name("Asia/Dubai") == "UTC+4" && name("Asia/Kathmandu") == "UTC+5:45"
                && name("America/Sao_Paulo") == "UTC-3")
        #expect(try name("UTC") == "UTC" && name("GMT") == "UTC")
    }

    @Test(
        "What is no zone is none, wherever its name leads",
        arguments: [
            "", "No/Where", "../../etc/passwd", "/etc/passwd", "/usr/share/zoneinfo/Asia/Seoul", "right/Asia/Seoul",
            "Asia", "zone.tab",
            "Asia/Seoul\u{0}", "tzdata.zi", "leapseconds", "Asia//../Asia/Seoul", String(repeating: "A", count: 65),
        ])
    func noZone(name: String) {
        #expect(Zone(named: name) == nil)
    }

    @Test("A file that is cut off or damaged is refused, or read without a trap")
    func damaged() throws {
        let bytes = try #require(try OpenFile(reading: "/usr/share/zoneinfo/Asia/Seoul")?.readToEnd())
        #expect(TimeZoneFile(bytes) != nil)
        for count in 0..<min(bytes.count, 4_000) { _ = TimeZoneFile(Array(bytes[..<count]))?.period(at: 0) }
        for index in 0..<min(bytes.count, 4_000) {
            for value in [0, 0x7f, 0x80, 0xff] as [UInt8] {
                var other = bytes
                other[index] = value
                let file = TimeZoneFile(other)
                for seconds in [.min, -1, 0, 1_800_000_000, .max] as [Int64] { _ = file?.period(at: seconds) }
            }
        }
        #expect(TimeZoneFile(Array(bytes[..<44])) == nil && TimeZoneFile([]) == nil)
    }
}
