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
