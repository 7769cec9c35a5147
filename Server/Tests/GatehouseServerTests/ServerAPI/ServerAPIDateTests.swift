import Foundation
import GatehouseJSON
import GatehouseSecurity
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct ServerAPIDateTests {
    @Test("A date is written as Foundation writes it, from the first day of its calendar to the last")
    func text() throws {
        var milliseconds: Int64 = -12_212_553_600_000
        var step: Int64 = 1
        while milliseconds < 253_402_300_799_000 {
            let date = Date(timeIntervalSince1970: Double(milliseconds / 1_000))
            let expected = date.formatted(.iso8601).replacing("Z", with: "+00:00")
            #expect(ServerAPIDate.text(milliseconds / 1_000 * 1_000) == expected)
            // The steps are irregular, so that every part of a date takes many values.
            step = step * 31 % 9_999_991
            milliseconds += 86_400_000 * 317 + step * 1_000
        }
        #expect(ServerAPIDate.text(.min) == "0001-01-01T00:00:00+00:00")
        #expect(ServerAPIDate.text(.max) == "9999-12-31T23:59:59+00:00")
        #expect(ServerAPIDate.text(-1) == "1969-12-31T23:59:59+00:00")
        #expect(
            String(decoding: try JSONWriter.bytes(of: [ServerAPIDate.iso8601(-1)]), as: UTF8.self)
                == #"["1969-12-31T23:59:59+00:00"]"#)
    }

    @Test("A date is read with an offset or as milliseconds, and nothing else is a date")
    func parse() {
        for text in [
            "2026-11-21T09:00:00+09:00", "2026-11-21T00:00:00Z", "2026-11-21T00:00:00.000Z",
            "2026-11-21T09:00:00.000+09:00", "2026-11-20T19:00:00-05:00", "2026-11-21T09:00:00 09:00", "1795219200000",
        ] {
            #expect(ServerAPIDate.parse(text)?.milliseconds == 1_795_219_200_000, "\(text)")
        }
        #expect(ServerAPIDate.parse("2026-11-21T00:00:00.123Z")?.milliseconds == 1_795_219_200_123)
        for number in [946_684_800_000, 4_102_444_799_999] as [Int64] {
            #expect(ServerAPIDate.parse(String(number))?.milliseconds == number)
        }
        for text in [
            "", "now", "2026-11-21", "2026-13-41T00:00:00Z", "-1", "99999999999999999", "0",
            // A date without dashes, with its time, and seconds.
            "20210911", "20210911120000", "1795219200", "946684799999", "4102444800000",
            String(repeating: "9", count: 50),
        ] {
            #expect(ServerAPIDate.parse(text) == nil, "\(text)")
        }
    }

    @Test("A page that can't be is refused, one that is too large is cut")
    func pages() throws {
        #expect(try Page(number: 3, size: 5_000, isDescending: false).size == 1_000)
        #expect(throws: Refusal.self) { try Page(number: -1, size: 1, isDescending: false) }
        #expect(throws: Refusal.self) { try Page(number: .max, size: 1, isDescending: false) }
        // The engine would pass over every element before.
        #expect(try Page(number: 100, size: 1_000, isDescending: false).number == 100)
        #expect(throws: Refusal.self) { try Page(number: 101, size: 1_000, isDescending: false) }
        #expect(throws: Refusal.self) { try Page(number: 0, size: 0, isDescending: false) }
    }
}
