import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Counts the sessions that are live now, as an operator sees it before ending all of them.
package struct CountLiveSessions: Report {
    /// The maximum number of sessions that are examined, newest first, so that the count takes a limited time.
    static let examined = 2_000

    package init() {}

    package struct Outcome: Sendable, Hashable {
        package let count: Int
        /// Whether every session was examined. Otherwise there may be more.
        package let isComplete: Bool

        /// The first two digits, and noughts: players log in all the time, and the exact number of a large game is another one before
        /// somebody has typed it.
        var roundedCount: Int {
            var unit = 1
            while count / unit >= 100 { unit *= 10 }
            return count / unit * unit
        }
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> Outcome {
        let (app, moment) = (view.app, view.moment)
        let found = try SessionQueries.live(
            of: app.id, createdSince: app.kickOut?.end, at: moment, examining: Self.examined, in: tx)
        return Outcome(count: found.live, isComplete: found.examined < Self.examined)
    }
}

extension Phrase {
    /// How many sessions are live now.
    package static func live(_ count: CountLiveSessions.Outcome) -> Phrase {
        Phrase(count.isComplete ? "kick-out.live" : "kick-out.live-more", ["count": .count(count.count)])
    }
}
