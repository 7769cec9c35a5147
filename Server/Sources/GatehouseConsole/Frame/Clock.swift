import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity

/// Times as one person reads them: in a time zone that is always named, with the distance from now.
struct LocalTime: Sendable {
    let zone: Zone
    let now: Moment
    let words: Words

    init(zone name: String?, now: Moment, words: Words) {
        zone = name.flatMap { Zone(named: $0) } ?? .universal
        self.now = now
        self.words = words
    }

    /// The zone's name at a moment, such as `KST` or `UTC`.
    func zoneName(at moment: Moment) -> String { zone.abbreviation(at: Self.seconds(of: moment)) }

    private static func seconds(of moment: Moment) -> Int64 { moment.milliseconds.floorDivided(by: 1_000) }

    private static func date(_ moment: Moment) -> Date {
        Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000)
    }

    private static let utc: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// `2026-12-01 03:00 KST`.
    func absolute(_ moment: Moment) -> String { zone.time(at: Self.seconds(of: moment)) }

    /// `2026-12-01 03:00`, as a date input has it with a `T`.
    func input(_ moment: Moment) -> String {
        zone.clock(at: Self.seconds(of: moment)).substituting(" ", by: "T")
    }

    /// `2026-12-01 03:00 UTC`, for the hover.
    func universal(_ moment: Moment) -> String { Zone.universal.time(at: Self.seconds(of: moment)) }

    /// `2026-12-01T03:00:00Z`, for programs.
    func machine(_ moment: Moment) -> String {
        Self.date(moment).formatted(.iso8601)
    }

    /// The next time at which clocks of this zone show a full hour; nil if it does not exist on that day, or exists twice.
    func next(hour: Int) -> Moment? {
        ([0, 1] as [Int64]).lazy.compactMap { day -> Moment? in
            let date = input(now.adding(seconds: day * 86_400)).prefix { $0 != "T" }
            return try? moment(from: "\(date)T\(hour < 10 ? "0" : "")\(hour):00")
        }.first { $0 > now }
    }

    /// `in 2 h` or `3 days ago`.
    func relative(_ moment: Moment) -> String {
        let (difference, overflow) = moment.milliseconds.subtractingReportingOverflow(now.milliseconds)
        let seconds = overflow ? 0 : difference / 1_000
        if seconds.magnitude < 60 { return words("time.now") }
        return words(seconds > 0 ? "time.in" : "time.ago", ["length": duration(seconds: seconds.magnitude)])
    }

    /// `3 days`, in the largest unit that fits, rounded. Up to three of a unit come with the next smaller one, such as `1 hour 34 minutes`,
    /// because half of it is much then.
    func duration(seconds: UInt64) -> String {
        func rounded(_ unit: UInt64) -> UInt64 { seconds / unit + (seconds % unit >= unit / 2 ? 1 : 0) }
        func text(_ unit: String, _ count: UInt64) -> String { words("time.\(unit)", ["count": Words.number(count)]) }
        func pair(_ first: (String, UInt64), _ second: (String, UInt64)) -> String {
            guard second.1 > 0 else { return text(first.0, first.1) }
            return words("time.two", ["first": text(first.0, first.1), "second": text(second.0, second.1)])
        }
        if seconds < 60 { return text("seconds", seconds) }
        let (minutes, hours) = (rounded(60), rounded(3_600))
        if minutes < 60 { return text("minutes", minutes) }
        if minutes < 180 { return pair(("hours", minutes / 60), ("minutes", minutes % 60)) }
        if hours < 48 { return text("hours", hours) }
        if hours < 72 { return pair(("days", hours / 24), ("hours", hours % 24)) }
        return text("days", rounded(86_400))
    }

    /// What browsers and people write, with a zero for each digit.
    private static let forms = ["0000-00-00T00:00", "0000-00-00 00:00", "0000-00-00T00:00:00"].map { Array($0.utf8) }

    /// A moment of an input in this zone. An hour that does not exist is refused, and of one that exists twice the form has to say which.
    ///
    /// - Parameter second: whether the second of two equal hours is meant; nil if the person was not asked.
    func moment(from text: String, second: Bool? = nil) throws(TimeProblem) -> Moment {
        let digits = Array(text.utf8.map { (0x30...0x39).contains($0) ? UInt8(ascii: "0") : $0 })
        guard Self.forms.contains(digits) else { throw .notATime }
        let parts = text.split(whereSeparator: { "T :-".contains($0) }).map { Int($0) }
        guard parts.count >= 5, let year = parts[0], let month = parts[1], let day = parts[2],
            let hour = parts[3], let minute = parts[4], (2_000...9_999).contains(year), (1...12).contains(month),
            (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute)
        else { throw .notATime }
        let wanted = DateComponents(year: year, month: month, day: day, hour: hour, minute: minute)
        guard let date = Self.utc.date(from: wanted), Self.utc.component(.day, from: date) == day else {
            throw .notATime
        }
        let base = Int64(date.timeIntervalSince1970)
        // A local time is right for each offset that the zone has at the moment that the offset leads to.
        let offsets = Set([-86_400, 86_400].map { zone.offsetSeconds(at: base + $0) })
        let found = offsets.filter { zone.offsetSeconds(at: base - $0) == $0 }.map { base - $0 }.sorted()
        guard let first = found.first, let last = found.last else { throw .doesNotExist }
        if found.count > 1, second == nil { throw .existsTwice }
        return Moment(milliseconds: (second == true ? last : first) * 1_000)
    }
}

/// Why a text is no moment.
enum TimeProblem: String, Error {
    case notATime, doesNotExist, existsTwice
}

/// A moment in all the ways in which a page shows it.
struct ShownTime: Sendable {
    /// `2026-12-01T03:00:00Z`, for programs.
    let machine: String
    /// `2026-12-01 12:00 KST`.
    let absolute: String
    /// `2026-12-01 03:00 UTC`.
    let universal: String
    /// `2 hours ago`.
    let relative: String
    let milliseconds: Int64

    init(_ moment: Moment, _ local: LocalTime) {
        machine = local.machine(moment)
        absolute = local.absolute(moment)
        universal = local.universal(moment)
        relative = local.relative(moment)
        milliseconds = moment.milliseconds
    }

    /// Both dates, such as `2026-12-01 12:00 KST · 03:00 UTC`. What they share is said once.
    var whole: String {
        if absolute == universal { return absolute }
        let day = absolute.firstPart(at: " ")
        let isSameDay = universal.begins(with: "\(day) ")
        return "\(absolute) · \(isSameDay ? String(universal.dropFirst(day.count + 1)) : universal)"
    }
}

/// A range of time that is chosen by one click. It counts from now, so that a link to it stays useful.
enum QuickRange: String, CaseIterable {
    case hour = "1h"
    case twoHours = "2h"
    case eightHours = "8h"
    case today, yesterday
    case week = "7d"

    /// The moments between which it lies; the second is nil for one that lasts until now.
    func moments(_ local: LocalTime) -> (since: Moment, until: Moment?) {
        let today = local.beginOfDay(local.now)
        return switch self {
        case .hour: (local.now.adding(seconds: -3_600), nil)
        case .twoHours: (local.now.adding(seconds: -7_200), nil)
        case .eightHours: (local.now.adding(seconds: -8 * 3_600), nil)
        case .today: (today, nil)
        // Twelve hours before a midnight belong to the day before, whatever the clocks do.
        case .yesterday: (local.beginOfDay(today.adding(seconds: -43_200)), today)
        case .week: (local.now.adding(seconds: -7 * 86_400), nil)
        }
    }
}

extension LocalTime {
    /// The end of today.
    var endOfDay: Moment { beginOfDay(beginOfDay(now).adding(seconds: 129_600)) }

    /// The first moment of a day. Where clocks skip midnight, it is the hour after.
    fileprivate func beginOfDay(_ moment: Moment) -> Moment {
        let day = input(moment).firstPart(at: "T")
        return ["00:00", "01:00"].lazy.compactMap { try? self.moment(from: "\(day)T\($0)", second: false) }.first
            ?? moment
    }
}

extension PageRequest {
    /// The range that the address names. Times that are typed win over it.
    var quickRange: QuickRange? {
        query["since"] == nil && query["until"] == nil ? query["range"].flatMap { QuickRange(rawValue: $0) } : nil
    }

    /// The moments between which the list's entries lie, as the address says.
    var listRange: (since: Moment?, until: Moment?) {
        if let range = quickRange?.moments(local) { return range }
        return (rangeMoment("since").moment, rangeMoment("until").moment)
    }

    /// Links to the ranges, each of which begins with the first page of the list.
    var quickRanges: HTML { quickRanges(current: quickRange) }

    /// - Parameter current: the one that the page shows.
    func quickRanges(current: QuickRange?) -> HTML {
        nav(.class("ranges"), .ariaLabel(words("range.title"))) {
            ul {
                for range in QuickRange.allCases {
                    li {
                        Link(
                            words("range.\(range.rawValue)"),
                            address(with: [
                                "range": range.rawValue, "since": nil, "until": nil, "before": nil, "after": nil,
                                "from": nil,
                            ]), isCurrent: range == current)
                    }
                }
            }
        }
    }
}
