import Crypto
import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

// How a page that somebody looks at stays up to date. Its script asks for it again every ten seconds, with the tag of the last answer.
// Parts with a state are replaced; of new entries it says how many there are. Without the script nothing of this happens.
extension PageRequest {
    /// The field of an address by which the script asks for what a page says, without its frame.
    static let live = "live"

    var isLive: Bool { query[Self.live] == "1" }

    /// A part of a live page that is replaced when it changes.
    func livePart(_ id: String, @HTMLBuilder _ content: () -> HTML) -> HTML {
        div(.id(id), Attribute("data-live", "")) { content() }
    }

    /// What a live page says now; nothing if the script has it.
    func liveAnswer(_ page: Page, _ content: HTML) -> Response {
        let html = HTML.element("html", .lang(words.language)) {
            body {
                main {
                    liveHead(page)
                    content
                }
            }
        }
        let bytes = html.document
        let tag = "\"\(Base64URL.encode(Array(SHA256.hash(data: Data(bytes)).prefix(15))))\""
        // Without the type, a browser makes a page of its own of the empty answer, whose styles break the policy.
        let headers: HTTPFields = [.contentType: "text/html; charset=utf-8", .eTag: tag]
        if request.headers[.ifNoneMatch] == tag { return Response(status: .notModified, headers: headers) }
        return Response(status: page.status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// What every live page says above its own parts: maintenance, who else is there, and what is new.
    @HTMLBuilder func liveHead(_ page: Page) -> HTML {
        livePart("live-banner") { maintenanceBanner }
        if let others = page.others {
            livePart("live-others") {
                if !others.isEmpty {
                    p(.class("notice"), .role("status")) {
                        words(
                            "live.others",
                            ["names": others.joined(separator: ", "), "count": Words.number(others.count)])
                    }
                }
            }
        }
        p(.class("live-new"), .role("status"), Attribute("data-text", words("live.new", ["count": "#"]))) {}
    }
}

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

extension PageRequest {
    /// The names of the others who look at a player's page now.
    func others(at user: UserID) throws -> [String] {
        console.presence.look(at: Presence.Page(app: try app().id, user: user), by: person.name, moment)
    }
}
