import GatehousePlatform
import GatehouseSecurity

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
