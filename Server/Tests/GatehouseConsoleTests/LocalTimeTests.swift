import GatehousePlatform
import GatehouseSecurity
import Testing

@testable import GatehouseConsole

@Suite struct LocalTimeTests {
    private static func local(_ zone: String?, now: Int64 = 1_795_219_200_000) -> LocalTime {
        LocalTime(zone: zone, now: Moment(milliseconds: now), words: Words.of(["en"]))
    }

    private static func problem(_ text: String, _ zone: String, second: Bool? = nil) -> TimeProblem? {
        do {
            _ = try local(zone).moment(from: text, second: second)
            return nil
        } catch {
            return error
        }
    }

    @Test("Every zone that is offered is one that the reader knows, and is there once, in the order of names")
    func zones() {
        #expect(Zone.names.contains("Asia/Seoul") && Zone.names.contains("America/Argentina/Buenos_Aires"))
        #expect(Zone.names == Set(Zone.names).sorted())
        #expect(Zone.names.allSatisfy { Zone(named: $0) != nil })
    }

    @Test("An hour that the clock skips is refused, and one that it shows twice is asked for")
    func summerTime() throws {
        let zone = Self.local("America/New_York")
        #expect(Self.problem("2027-03-14T02:30", "America/New_York") == .doesNotExist)
        #expect(try zone.moment(from: "2027-03-14T01:59").milliseconds == 1_805_007_540_000)
        #expect(try zone.moment(from: "2027-03-14T03:00").milliseconds == 1_805_007_600_000)
        #expect(Self.problem("2027-11-07T01:30", "America/New_York") == .existsTwice)
        let first = try zone.moment(from: "2027-11-07T01:30", second: false)
        let second = try zone.moment(from: "2027-11-07T01:30", second: true)
        #expect(second.milliseconds - first.milliseconds == 3_600_000)
        #expect(zone.absolute(first).hasPrefix("2027-11-07 01:30 ") && zone.absolute(first) != zone.absolute(second))
        #expect(Self.problem("2027-04-04T02:30", "Pacific/Auckland") == .existsTwice)
        #expect(Self.problem("2027-03-14T02:30", "Asia/Seoul") == nil)
    }

    @Test(
        "What is typed comes back as it was",
        arguments: ["UTC", "Asia/Seoul", "Asia/Kathmandu", "Pacific/Auckland", "America/St_Johns"])
    func roundTrip(zone: String) throws {
        let local = Self.local(zone)
        for text in ["2026-12-31T23:59", "2028-02-29T00:00", "2000-01-01T12:00", "9999-12-30T23:59"] {
            #expect(local.input(try local.moment(from: text)) == text, "\(text) in \(zone)")
        }
    }

    @Test(
        "What is no time is refused",
        arguments: [
            "", "x", "2027", "2027-02-29T10:00", "2027-13-01T10:00", "2027-00-01T10:00", "2027-01-32T10:00",
            "2027-01-01T24:00",
            "2027-01-01T10:60", "1999-12-31T23:59", "10000-01-01T00:00", "99999999999999999999-01-01T00:00",
            "2027-01-01",
            "2027-01-01T-1:00", "２０２７-01-01T10:00", String(repeating: "1-", count: 50_000), "2027-01-01T10:00:00+09:00",
        ])
    func wrong(text: String) {
        #expect(Self.problem(text, "Asia/Seoul") == .notATime)
    }

    @Test(
        "Moments at the ends of their range are shown somehow, and stop nothing",
        arguments: [
            .min, .min + 1, -62_135_596_800_001, -1, 0, 253_402_300_800_000, .max - 1, .max,
        ] as [Int64])
    func ends(milliseconds: Int64) {
        for zone in ["UTC", "Asia/Seoul", "America/New_York"] {
            for now in [Int64.min, 0, .max] {
                let local = Self.local(zone, now: now)
                let moment = Moment(milliseconds: milliseconds)
                #expect(!local.absolute(moment).isEmpty && !local.universal(moment).isEmpty)
                #expect(!local.relative(moment).isEmpty && !local.machine(moment).isEmpty)
            }
        }
    }

    @Test("Times are in the zone that they name, with the distance from now")
    func words() {
        let moment = Moment(milliseconds: 1_795_219_200_000)
        #expect(Self.local("Asia/Seoul").absolute(moment) == "2026-11-21 09:00 KST")
        #expect(Self.local(nil).absolute(moment) == "2026-11-21 00:00 UTC")
        #expect(Self.local("../../etc/passwd").absolute(moment) == "2026-11-21 00:00 UTC")
        #expect(Self.local("Asia/Tokyo").machine(moment) == "2026-11-21T00:00:00Z")
        let local = Self.local("UTC")
        #expect(local.relative(moment.adding(seconds: 59)) == local.relative(moment))
        #expect(local.relative(moment.adding(seconds: 7_200)).contains("2"))
        #expect(local.duration(seconds: 172_800).contains("2") && local.duration(seconds: .max).count > 5)
    }

    @Test(
        "A length is rounded, and a short one has two units",
        arguments: [
            (59, "59 seconds"), (89, "1 minute"), (90, "2 minutes"), (3_569, "59 minutes"), (3_570, "1 hour"),
            (5_640, "1 hour 34 minutes"), (7_140, "1 hour 59 minutes"), (7_199, "2 hours"), (12_659, "4 hours"),
            (86_400, "24 hours"), (172_799, "2 days"), (216_000, "2 days 12 hours"), (259_199, "3 days"),
            (604_800, "7 days"),
        ] as [(UInt64, String)])
    func durations(seconds: UInt64, text: String) {
        #expect(Self.local("UTC").duration(seconds: seconds) == text)
    }
}
