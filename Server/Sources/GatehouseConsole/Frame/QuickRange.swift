import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity

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

extension Visit {
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
