package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// A maintenance window that is over.
package struct PastMaintenance: Sendable, Hashable {
    package let begin: Moment
    /// When it ended: as planned, or when somebody ended it.
    package let end: Moment
    /// Whether somebody ended it, and it did not run out.
    package let isEndedEarly: Bool
    package let message: LocalizedText
    package let url: String?
    package let reason: String?
}

/// Lists an app's maintenance windows that are over, newest first, as far as the newest changes of the app tell of them.
package struct ListPastMaintenance: Report {
    /// The number of the app's changes that are looked at.
    static let looked = 200

    package init() {}

    func read(_ view: Viewpoint, in tx: Reader) throws -> [PastMaintenance] {
        let records = try DeedQueries.records(
            of: view.app.id, target: DeedTarget.app.text, limit: Self.looked, in: tx)
        return Self.windows(in: records.reversed(), now: view.app.maintenance, at: view.moment)
    }

    /// - Parameters:
    ///   - records: the app's changes, oldest first.
    ///   - now: the window that the app has, even if it is over.
    static func windows(
        in records: [DeedRecord], now: App.MaintenanceWindow?, at moment: Moment
    ) -> [PastMaintenance] {
        var windows: [PastMaintenance] = []
        for record in records {
            guard let old = record.before?.window else { continue }
            let new = record.after?.window
            if old.end <= record.date {
                // It stays in the app until another takes its place.
                if new != old { windows.append(PastMaintenance(old, end: old.end)) }
            } else if old.begin < record.date, new?.begin != old.begin {
                windows.append(PastMaintenance(old, end: record.date))
            }
        }
        if let now, now.end <= moment { windows.append(PastMaintenance(now, end: now.end)) }
        return windows.reversed()
    }
}

extension PastMaintenance {
    fileprivate init(_ window: App.MaintenanceWindow, end: Moment) {
        (begin, self.end, isEndedEarly) = (window.begin, end, end < window.end)
        (message, url, reason) = (window.message, window.url, window.reason)
    }
}

extension DeedState {
    /// The maintenance window of an app's state.
    fileprivate var window: App.MaintenanceWindow? {
        func moment(_ name: String) -> Moment? {
            values["maintenance.\(name)"].flatMap { Int64($0) }.map { Moment(milliseconds: $0) }
        }
        guard let begin = moment("begin"), let end = moment("end") else { return nil }
        return App.MaintenanceWindow(
            begin: begin, end: end, message: LocalizedText(texts("maintenance.message.")),
            url: values["maintenance.url"], reason: values["maintenance.reason"])
    }
}
