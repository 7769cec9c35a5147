import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Synchronization

/// Who has looked at which player's page during the last minute, so that two people do not act on one player without knowing.
///
/// Each node knows what it has shown itself, because a view should cost the database no write.
final class Presence: Sendable {
    private static let seconds: Int64 = 60
    private static let mostPages = 500
    private static let mostPeople = 8

    struct Page: Hashable {
        let app: AppID
        let user: UserID
    }

    private struct View {
        let name: String
        let moment: Moment
    }

    private let pages = Mutex<[Page: [View]]>([:])

    /// Notes that a person looks at a page.
    ///
    /// - Returns: the names of the others who do.
    func look(at page: Page, by name: String, _ moment: Moment) -> [String] {
        pages.withLock { pages in
            if pages[page] == nil, pages.count >= Self.mostPages {
                pages = pages.filter { $0.value.contains { Self.isNow($0, moment) } }
                if pages.count >= Self.mostPages { pages = [:] }
            }
            let others = pages[page, default: []].filter { $0.name != name && Self.isNow($0, moment) }
            pages[page] = others.suffix(Self.mostPeople - 1) + [View(name: name, moment: moment)]
            return others.map(\.name).sorted()
        }
    }

    /// The number of pages that are kept.
    var count: Int { pages.withLock(\.count) }

    private static func isNow(_ view: View, _ moment: Moment) -> Bool {
        moment < view.moment.adding(seconds: seconds)
    }
}

extension Visit {
    /// The names of the others who look at a player's page now.
    func others(at user: UserID) throws -> [String] {
        console.presence.look(at: Presence.Page(app: try app().id, user: user), by: person.name, moment)
    }
}
