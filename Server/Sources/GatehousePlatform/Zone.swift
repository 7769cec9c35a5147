import Synchronization

/// A time zone of the machine's time zone database, which the Debian package `tzdata` brings.
package struct Zone: Sendable {
    /// Such as `Asia/Seoul`.
    package let name: String
    private let file: TimeZoneFile?

    package static let universal = Zone(name: "UTC", file: nil)

    private init(name: String, file: TimeZoneFile?) {
        self.name = name
        self.file = file
    }

    /// Nil if the machine knows no such zone.
    package init?(named name: String) {
        if name == "UTC" || name == "GMT" {
            self = .universal
            return
        }
        guard Self.isName(name), let zone = Self.known(name) else { return nil }
        self = zone
    }

    /// Seconds to the east of UTC.
    ///
    /// - Parameter seconds: since 1970.
    package func offsetSeconds(at seconds: Int64) -> Int64 {
        file?.period(at: seconds).offsetSeconds ?? 0
    }

    /// Such as `KST`; `UTC+4` where people have no short name.
    package func abbreviation(at seconds: Int64) -> String {
        guard let period = file?.period(at: seconds) else { return "UTC" }
        guard period.abbreviation.utf8.allSatisfy({ (0x41...0x5a).contains($0 & 0xdf) }) else {
            let minutes = period.offsetSeconds.magnitude / 60
            let rest = minutes % 60 == 0 ? "" : minutes % 60 < 10 ? ":0\(minutes % 60)" : ":\(minutes % 60)"
            return "UTC\(period.offsetSeconds < 0 ? "-" : "+")\(minutes / 60)\(rest)"
        }
        return period.abbreviation
    }

    /// What a clock there shows, such as `2026-12-01 03:00`.
    ///
    /// - Parameter seconds: since 1970.
    package func clock(at seconds: Int64) -> String {
        let local = seconds.addingReportingOverflow(offsetSeconds(at: seconds)).partialValue
        let day = local.floorDivided(by: 86_400)
        let minutes = (local - day * 86_400) / 60
        let date = CivilDay.date(of: day)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(two(date.month))-\(two(date.day)) \(two(minutes / 60)):\(two(minutes % 60))"
    }

    /// The same with the zone's name, such as `2026-12-01 03:00 KST`.
    package func time(at seconds: Int64) -> String { "\(clock(at: seconds)) \(abbreviation(at: seconds))" }

    // MARK: The database

    /// Where systems have it.
    private static let folder = "/usr/share/zoneinfo"
    /// How many zones are kept, even if the database is another than it should be.
    private static let maximum = 1_000

    /// Whether the machine has a database of zones at all.
    package static var databaseIsThere: Bool { Zone(named: "Asia/Seoul") != nil }

    /// The zones from which people choose, in the order of their names. A machine without the database's table offers a few.
    package static let names: [String] = {
        let table = ["zone1970.tab", "zone.tab"].lazy.compactMap { name in
            try? OpenFile(reading: "\(folder)/\(name)")?.readToEnd()
        }.first
        let rows = String(decoding: table ?? [], as: UTF8.self).parts(at: "\n").filter { !$0.begins(with: "#") }
        let found = rows.compactMap { row in
            let columns = row.parts(at: "\t", withEmpty: true)
            return columns.count > 2 ? String(columns[2]) : nil
        }.filter(isName)
        return Set(found.isEmpty ? common.filter { Zone(named: $0) != nil } : found).sorted()
    }()

    private static let common = [
        "America/Chicago", "America/Los_Angeles", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Seoul",
        "Asia/Shanghai", "Asia/Singapore", "Asia/Tokyo", "Australia/Sydney", "Europe/Berlin", "Europe/London",
        "Europe/Paris",
    ]

    /// With two slashes in the place of one, a file would have any number of names.
    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.parts(at: "/", withEmpty: true).allSatisfy { !$0.isEmpty }
            && !name.begins(with: "right/")
            && !name.begins(with: "posix/")
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf) || "/_+-".utf8.contains(byte)
            }
    }

    /// The zones that were asked for. The database has six hundred, each with one name.
    private static let zones = Mutex<[String: Zone]>([:])

    private static func known(_ name: String) -> Zone? {
        if let zone = zones.withLock({ $0[name] }) { return zone }
        guard let bytes = try? OpenFile(reading: "\(folder)/\(name)")?.readToEnd(), let file = TimeZoneFile(bytes)
        else {
            return nil
        }
        let zone = Zone(name: name, file: file)
        zones.withLock { zones in
            if zones.count >= maximum { zones = [:] }
            zones[name] = zone
        }
        return zone
    }
}
