import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Counts the bans in force that show each template. It looks at the newest of them alone, so that it costs the same in every app.
package struct CountBansOfTemplates: Report {
    /// How many bans are looked at.
    package static let bound = 1_000

    package init() {}

    package struct Outcome: Sendable, Hashable {
        /// By the code of the template.
        package let counts: [Int: Int]
        /// Whether there may be more bans than were looked at.
        package let isPart: Bool
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> Outcome {
        try Self.read(at: view.moment, app: view.app.id, in: tx)
    }

    static func read(at moment: Moment, app: AppID, in tx: Reader) throws -> Outcome {
        let counts = try BanQueries.countsOfTemplates(at: moment, app: app, lookingAt: bound, in: tx)
        var ofTemplates: [Int: Int] = [:]
        for case (let code?, let count) in counts { ofTemplates[code] = count }
        return Outcome(counts: ofTemplates, isPart: counts.values.reduce(0, +) >= bound)
    }
}
