import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

/// The versions of the Server API. A version changes when the type of a field does: dates are numbers in the older ones.
enum ServerAPIVersion: String, Sendable, Hashable, CaseIterable {
    case v10 = "v1.0"
    case v11 = "v1.1"
    /// This version has only one call: the validation of a transfer account.
    case v112 = "v1.1.2"
    case v12 = "v1.2"
    case v13 = "v1.3"

    static let every: Set<ServerAPIVersion> = [.v10, .v11, .v12, .v13]
    static let newest: Set<ServerAPIVersion> = [.v13]

    /// Whether dates of members are numbers.
    private var hasNumbersForMembers: Bool { self == .v10 || self == .v11 }

    /// A date in a member: its registration, its last login, or the end of its grace period.
    func date(ofMember milliseconds: Int64) -> ServerAPIDate {
        hasNumbersForMembers ? .milliseconds(milliseconds) : .iso8601(milliseconds)
    }

    /// A date in a ban. It is a number in every sample before version 1.3.
    func date(ofBan moment: Moment) -> ServerAPIDate {
        self == .v13 ? .iso8601(moment.milliseconds) : .milliseconds(moment.milliseconds)
    }
}

/// A date in a response.
enum ServerAPIDate: JSONWritable, Sendable, Hashable {
    /// Since 1970, UTC.
    case milliseconds(Int64)
    /// `yyyy-MM-dd'T'HH:mm:ss+00:00`.
    case iso8601(Int64)

    func write(to text: inout JSONBytes) {
        switch self {
        case .milliseconds(let value): text.write(value)
        case .iso8601(let value): text.write(plain: Self.length) { Self.fill($0, value) }
        }
    }

    private static let length = 25

    static func text(_ milliseconds: Int64) -> String {
        String(unsafeUninitializedCapacity: length) { text in
            fill(text, milliseconds)
            return length
        }
    }

    /// Formats the date without Foundation, because a list of three hundred members has three hundred dates. The offset is written in
    /// digits, because some languages' parsers don't accept `Z`.
    private static func fill(_ text: UnsafeMutableBufferPointer<UInt8>, _ milliseconds: Int64) {
        // The range is 0001-01-01 to 9999-12-31, so that a year has four digits.
        let seconds = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999).floorDivided(by: 1_000)
        let days = seconds.floorDivided(by: 86_400)
        let time = seconds - days * 86_400
        let (year, month, day) = CivilDay.date(of: days)
        var length = 0
        func put(_ number: Int64, _ separator: UInt8?) {
            text[length] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
            text[length + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
            length += 2
            guard let separator else { return }
            text[length] = separator
            length += 1
        }
        put(year / 100, nil)
        put(year % 100, UInt8(ascii: "-"))
        put(month, UInt8(ascii: "-"))
        put(day, UInt8(ascii: "T"))
        put(time / 3_600, UInt8(ascii: ":"))
        put(time / 60 % 60, UInt8(ascii: ":"))
        put(time % 60, UInt8(ascii: "+"))
        put(0, UInt8(ascii: ":"))
        put(0, nil)
    }

    /// Parses ISO 8601 with an offset, with or without a fraction. Some clients don't percent-encode the `+`, which then becomes a
    /// space. Older clients send milliseconds; only times of this century are accepted, so that a date without dashes or a number of
    /// seconds is not taken for a time in 1970.
    static func parse(_ text: String) -> Moment? {
        guard text.utf8.count <= 40 else { return nil }
        if let number = Int64(text) {
            // The range is 2000-01-01 to 2099-12-31.
            return (946_684_800_000..<4_102_444_800_000).contains(number) ? Moment(milliseconds: number) : nil
        }
        let text = text.substituting(" ", by: "+")
        for strategy in [
            Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle(),
        ] {
            guard let seconds = (try? strategy.parse(text))?.timeIntervalSince1970, abs(seconds) < 253_402_300_800
            else {
                continue
            }
            return Moment(milliseconds: Int64((seconds * 1_000).rounded()))
        }
        return nil
    }
}
