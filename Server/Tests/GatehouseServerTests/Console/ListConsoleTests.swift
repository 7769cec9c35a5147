import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// What all lists of the console can do: columns, order, pages, selected rows, and the card of a member.
@Suite struct ListConsoleTests {
    private static let app = "/console/apps/\(TestServer.app)"

    private static func headings(_ page: ConsolePage) -> [String] {
        page.html.matches(of: /<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]*)/).map { String($0.output.1) }
    }

    @Test(
        "Columns that a person hides stay hidden for this person, until all are shown again", arguments: Engine.ofDoors)
    func columns(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            _ = try await server.guest(TestDevice())
            let (kim, lee) = (try await server.person("kim", .viewer), try await server.person("lee", .viewer))
            let page = try await kim.get("\(Self.app)/members")
            let titles = Self.headings(page)
            #expect(titles.count == 5)
            let link = try #require(page.links.first { $0.contains("columns=1") })
            let form = try await kim.get(link).form("/me/columns")
            #expect(form.fields["list"] == "members" && form.fields["back"] == "\(Self.app)/members")
            var fields = form.fields
            fields["show"] = "members.state\nnothing\nbans.reason"
            let shown = try await kim.follow(kim.post(form.action, fields))
            #expect(Self.headings(shown) == Array(titles.prefix(2)), "\(shown.text)")
            // The time zone and the other preferences are as they were, and nobody else sees a difference.
            #expect(Self.headings(try await lee.get("\(Self.app)/members")) == titles)
            fields["reset"] = "1"
            #expect(Self.headings(try await kim.follow(kim.post(form.action, fields))) == titles)
            // What is no list, and an address elsewhere, do nothing.
            fields["list"] = "secrets"
            fields["back"] = "https://example.com/"
            let away = try await kim.post(form.action, fields)
            #expect(away.answer.headers[.location]?.hasPrefix("/console") == true)
        }
    }

    @Test("A short list is sorted by a heading, and the address says how")
    func order() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.developer()
            for name in ["zoe", "adam", "mia"] {
                _ = try await server.runOnServer(InviteOperator(name: name, grants: [:]))
            }
            func names(_ path: String) async throws -> [String] {
                try await kim.get(path).html.matches(of: /<tr><td><bdi>([a-z]+)<\/bdi>/).map { String($0.output.1) }
            }
            let link = try #require(try await kim.get("/console/operators").links.first { $0.contains("sort=") })
            let rising = try await names(link)
            #expect(rising == rising.sorted() && rising.count == 4, "\(rising)")
            let page = try await kim.get(link)
            #expect(page.html.contains("aria-sort=\"ascending\""))
            let back = try #require(page.links.first { $0.contains("sort=-") })
            #expect(try await names(back) == rising.reversed())
            for sort in ["nothing", "-", "operators.name%00", String(repeating: "a", count: 500)] {
                #expect(try await kim.get("/console/operators?sort=\(sort)").status == 200)
            }
        }
    }

    @Test(
        "The members are sorted by registration and by last login, one address for each order",
        arguments: Engine.ofDoors)
    func members(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let phones = (0..<3).map { _ in TestDevice() }
            var users: [String] = []
            for phone in phones {
                server.clock.advance(seconds: 3_600)
                users.append(try await server.guest(phone).member.userId.rawValue)
            }
            server.clock.advance(seconds: 3_600)
            #expect(try await server.guest(phones[1]).member.userId.rawValue == users[1])
            let kim = try await server.person("kim", .viewer)
            func ids(_ page: ConsolePage) -> [String] {
                page.html.matches(of: /<tr><td><a href="[^"]*\/members\/([A-Z0-9]+)"/).map { String($0.output.1) }
            }
            func heading(_ name: String, _ page: ConsolePage) throws -> (link: String, order: String?) {
                let heading = try #require(
                    page.html.matches(of: /<th scope="col"(?: aria-sort="([a-z]+)")?><a href="([^"]*)">([^<]*)/)
                        .first { $0.output.3 == name })
                return (
                    String(heading.output.2).replacing("&amp;", with: "&"), heading.output.1.map { String($0) }
                )
            }
            let newest = try await kim.get("\(Self.app)/members?status=Y")
            #expect(ids(newest) == users.reversed(), "\(newest.text)")
            #expect(try heading("Registered", newest).order == "descending")
            #expect(try heading("Last login", newest).order == nil)
            let oldest = try await kim.get(try heading("Registered", newest).link)
            #expect(ids(oldest) == users && oldest.path.contains("status=Y"))
            #expect(try heading("Registered", oldest).order == "ascending")
            // The usual order has the address of before.
            #expect(try heading("Registered", oldest).link == newest.path)
            let latest = try await kim.get(try heading("Last login", oldest).link)
            #expect(ids(latest) == [users[1], users[2], users[0]])
            #expect(try heading("Last login", latest).order == "descending")
            let earliest = try await kim.get(try heading("Last login", latest).link)
            #expect(ids(earliest) == [users[0], users[2], users[1]])
            #expect(try latest.form("/members").fields["sort"] == "-members.last-login")
            for sort in ["members.id", "-", "-members.made", "members.made%00", String(repeating: "a", count: 500)] {
                let page = try await kim.get("\(Self.app)/members?sort=\(sort)&before=\(sort)")
                #expect(page.status == 200)
            }
        }
    }

    @Test("A list in the order of last logins goes on where the page before ends")
    func loginPages() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            for _ in 0..<27 { _ = try await server.guest(TestDevice()) }
            let kim = try await server.person("kim", .viewer)
            for sort in ["members.made", "members.last-login", "-members.last-login"] {
                let first = try await kim.get("\(Self.app)/members?sort=\(sort)")
                let next = try await kim.get(try #require(first.older))
                #expect(next.html.contains("<span class=\"small\">26–27 of 27</span>"), "\(next.text)")
                #expect(next.path.contains("sort=\(sort)") && next.older == nil)
                let users = [first, next].flatMap { page in
                    page.html.matches(of: /<tr><td><a href="[^"]*\/members\/([A-Z0-9]+)"/).map { $0.output.1 }
                }
                #expect(Set(users).count == 27)
                // Another order begins at the first page.
                #expect(next.links.contains { $0.contains("sort=") && !$0.contains("before=") })
            }
        }
    }

    @Test("Each page says which rows it has, and the last how many there are")
    func ranges() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            for _ in 0..<27 { _ = try await server.guest(TestDevice()) }
            let kim = try await server.person("kim", .viewer)
            let first = try await kim.get("\(Self.app)/members")
            #expect(first.html.contains("<span class=\"small\">1–25</span>"), "\(first.text)")
            let next = try await kim.get(try #require(first.older))
            #expect(next.html.contains("<span class=\"small\">26–27 of 27</span>"), "\(next.text)")
            // Without the beginning the range is not known, and what is no number is none.
            for from in ["", "&from=-5", "&from=99999999999999999999", "&from=x"] {
                let address = try #require(first.older).replacing(/&?from=26&?/, with: "") + from
                #expect(try await kim.get(address).status == 200)
            }
        }
    }

    @Test("Selected members go to the page that bans or releases a list", arguments: Engine.ofDoors)
    func selection(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            var users: [String] = []
            for _ in 0..<3 { users.append(try await server.guest(TestDevice()).member.userId.rawValue) }
            let kim = try await server.person("kim", .operator)
            let page = try await kim.get("\(Self.app)/members")
            #expect(page.html.matches(of: /<input type="checkbox" name="users"/).count == 3)
            let action = try #require(
                page.html.firstMatch(of: /formaction="([^"]*members\.banned)"/).map { String($0.output.1) })
            let form = try await kim.get("\(action)?users=\(users[0])&users=\(users[2])").form("/check")
            #expect(form.fields["users"] == "\(users[0])\n\(users[2])")
            // Who may not ban has nothing to select.
            let viewer = try await server.person("vic", .viewer).get("\(Self.app)/members")
            #expect(!viewer.html.contains("name=\"users\"") && viewer.text.contains(users[0]))
        }
    }

    @Test("Selected members are saved as a file with exactly their rows", arguments: Engine.ofDoors)
    func export(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            var users: [String] = []
            for _ in 0..<3 { users.append(try await server.guest(TestDevice()).member.userId.rawValue) }
            let kim = try await server.person("kim", .support)
            let page = try await kim.get("\(Self.app)/members")
            #expect(page.html.matches(of: /<input type="checkbox" name="users"/).count == 3)
            let action = "\(Self.app)/members.csv"
            #expect(page.html.contains("formaction=\"\(action)\"") && !page.html.contains("members.banned"))
            let file = try await kim.get("\(action)?users=\(users[2])&users=\(users[0])&users=AAAAAAAAAAAAAAAA")
            #expect(file.answer.headers[.contentType] == "text/csv; charset=utf-8")
            #expect(
                file.answer.headers[.contentDisposition] == "attachment; filename=\"\(TestServer.app)-members.csv\"")
            let lines = file.html.split(separator: "\r\n").map { $0.split(separator: ",") }
            #expect(
                lines.map { $0[0].filter { $0.isLetter || $0.isNumber || $0 == "_" } } == [
                    "user_id", users[2], users[0],
                ])
            #expect(lines.allSatisfy { $0.last == "\"idp\"" || $0.last == "\"guest\"" })
            #expect(
                lines[1][2].contains(/^"20[0-9T:-]+Z"$/) && lines[1][4].contains(/^"20[0-9]{2}-[0-9]{2}-[0-9]{2}"$/))
            // Without a selection there is nothing to save.
            #expect(try await kim.follow(kim.get(action)).path == "\(Self.app)/members")
            // A text with a NUL is none.
            #expect(try await kim.follow(kim.get("\(action)?users=%00")).path == "\(Self.app)/members")
            for text in ["%FF", String(repeating: "a%0A", count: 500)] {
                let odd = try await kim.get("\(action)?users=\(text)")
                #expect(odd.status == 200 && odd.html.split(separator: "\r\n").count == 1, "\(text)")
            }
            let viewer = try await server.person("vic", .viewer)
            #expect(try await viewer.get("\(action)?users=\(users[0])").status == 403)
            #expect(try await !viewer.get("\(Self.app)/members").html.contains("members.csv"))
        }
    }

    @Test("The card of a member has what the list's reader may see, and no other app's")
    func card() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId.rawValue
            let kim = try await server.person("kim", .viewer)
            let card = try await kim.get("\(Self.app)/members/\(user)/card")
            #expect(card.html.hasPrefix("<!doctype html><dl class=\"facts peek\""), "\(card.html)")
            #expect(card.text.hasPrefix("User ID \(user) State Normal "), "\(card.text)")
            #expect(try await kim.get("\(Self.app)/members/AAAAAAAAAAAAAAAA/card").status == 404)
            #expect(try await kim.get("/console/apps/other/members/\(user)/card").status == 404)
            let stranger = try await server.stranger.get("\(Self.app)/members/\(user)/card")
            #expect(!stranger.html.contains("class=\"facts peek\""))
        }
    }
}
