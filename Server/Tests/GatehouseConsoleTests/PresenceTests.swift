import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseConsole

@Suite struct PresenceTests {
    private static let page = Presence.Page(app: "game", user: UserID("A"))

    @Test("Who looked at a page within a minute is told to the others, and not to oneself")
    func looking() {
        let presence = Presence()
        let now = Moment(milliseconds: 1_000_000)
        func look(_ name: String, _ seconds: Int64, at page: Presence.Page = Self.page) -> [String] {
            presence.look(at: page, by: name, now.adding(seconds: seconds))
        }
        #expect(look("kim", 0) == [] && look("kim", 1) == [])
        #expect(look("tom", 30) == ["kim"] && look("kim", 40) == ["tom"])
        #expect(look("ann", 50, at: .init(app: "other", user: UserID("A"))) == [])
        #expect(look("ann", 50, at: .init(app: "game", user: UserID("B"))) == [])
        #expect(look("ann", 90) == ["kim"] && look("kim", 151) == [])
    }

    @Test("However many look at however many pages, little is kept")
    func bounds() {
        let presence = Presence()
        let now = Moment(milliseconds: 0)
        for number in 0..<2_000 { _ = presence.look(at: .init(app: "game", user: UserID("\(number)")), by: "kim", now) }
        #expect(presence.count <= 500)
        for number in 0..<100 { _ = presence.look(at: Self.page, by: "\(number)", now) }
        #expect(presence.look(at: Self.page, by: "kim", now).count <= 8)
    }
}
