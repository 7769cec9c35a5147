import GatehouseHTML
import GatehouseSecurity
import Testing

@testable import GatehouseConsole

/// The markup of tables: what every list of the console is made of.
@Suite struct TableTests {
    private static let local = LocalTime(
        zone: "Asia/Seoul", now: Moment(milliseconds: 1_795_219_200_000), words: Words.of(["en"]))

    private static func time(_ seconds: Int64) -> Cell {
        .time(Moment(milliseconds: 1_795_219_200_000 + seconds * 1_000), local)
    }

    private static func text(_ part: some HTMLPart) -> String { String(decoding: part.html.bytes, as: UTF8.self) }

    private static func table(_ rows: [TableRow], _ columns: [Column]? = nil) -> Table {
        Table("Bans", columns ?? ["ID", "Begun", "Reason"].map { Column($0, name: $0) }, rows, empty: "None")
    }

    @Test("A row says how long ago, with the date in the reader's zone and in UTC in the title")
    func times() {
        let html = Self.text(Self.table([TableRow([.code("A", link: "/a"), Self.time(-7_200), Cell("spam")])]))
        #expect(
            html.contains(
                #"<td><time datetime="2026-11-20T22:00:00Z" title="2026-11-21 07:00 KST · 2026-11-20 22:00 UTC">2 hours ago</time></td>"#
            ), "\(html)")
        // On one day the day is said once, and in UTC there is one time alone.
        #expect(Self.time(7_200).time?.whole == "2026-11-21 11:00 KST · 02:00 UTC")
        let utc = LocalTime(zone: nil, now: Self.local.now, words: Self.local.words)
        #expect(ShownTime(utc.now, utc).whole == "2026-11-21 00:00 UTC")
    }

    @Test("A moment takes the focus only where nothing else of its row does")
    func focus() {
        let rows = [
            TableRow([.code("A"), Self.time(-60), Self.time(-90)]), TableRow([.code("B", link: "/b"), Self.time(-60)]),
        ]
        let html = Self.text(Self.table(rows))
        #expect(html.matches(of: /tabindex="0">1 minute/).count == 1, "\(html)")
    }

    @Test("A fact says the date, with the distance behind it")
    func facts() {
        let html = Self.text(Facts([Fact("Begun", Self.time(-7_200))]))
        #expect(html.contains("07:00 KST</time> <small>2 hours ago</small>"), "\(html)")
    }

    @Test("What is cut has the whole in its title, and a table of sentences cuts nothing")
    func long() {
        let reason = "aimbot, seen by two <moderators>"
        var table = Self.table([TableRow([.code("A"), Self.time(0), Cell(reason)])])
        let whole = "aimbot, seen by two &lt;moderators&gt;"
        #expect(
            Self.text(table).contains(
                "<td class=\"long\" title=\"\(whole)\"><bdi>\(whole)</bdi></td>"))
        #expect(Self.text(table).contains(#"<div class="scroll rows list""#))
        table = table.wrapping
        #expect(!Self.text(table).contains("long") && !Self.text(table).contains("rows list"))
        // Letters of other scripts are as wide as two.
        #expect(Cell("이용자 신고 세 번, 확인함").isLong && !Cell("24 letters of Latin fit.").isLong)
        #expect(Self.text(Self.table([TableRow([.code("A"), Cell("–")])])).contains(#"<td>–</td>"#))
    }

    @Test("The first action of a row is a link, and the others stand in a menu that needs no script")
    func menu() throws {
        let links = ["Change", "Release", "Delete"].map { Link($0, "/do/\($0)") }
        let rows = [
            TableRow([.code("A")], actions: links), TableRow([.code("B")], actions: [links[0]]), TableRow([.code("C")]),
        ]
        let html = Self.text(Self.table(rows))
        let menus = html.matches(
            of: /popovertarget="([^"]+)" aria-label="Release, Delete">⋯<\/button><div id="([^"]+)" popover>/)
        #expect(menus.count == 1 && menus.first?.output.1 == menus.first?.output.2, "\(html)")
        #expect(html.matches(of: /<td class="actions">/).count == 3)
        // Two tables of a page have no id in common.
        var other = Self.table(rows)
        other.caption = "Jobs"
        let id = try #require(menus.first).output.1
        #expect(!Self.text(other).contains(id))
    }

    @Test("A hidden column is gone with its cells, and the first stays")
    func hidden() {
        var table = Self.table([TableRow([.code("A"), Self.time(0), Cell("spam")])])
        table.hide(["ID", "Begun", "nothing"])
        #expect(table.columns.map(\.title) == ["ID", "Reason"])
        #expect(table.rows[0].cells.map(\.text) == ["A", "spam"])
        #expect(Self.text(table).contains(#"</td><td><bdi>spam"#))
    }

    @Test("A list gives up rows for their bytes, if its next page can begin with them, and keeps the first")
    func cutting() {
        func list(_ count: Int) -> Table {
            var table = Self.table(
                (0..<count).map { number in
                    var row = TableRow([Cell(String(repeating: "a", count: 1_000))])
                    row.place = "\(number)"
                    return row
                })
            table.field = "after"
            return table
        }
        func rows(of table: Table, cut bytes: Int) -> Int? {
            var table = table
            return table.cut(bytes) ? table.rows.count : nil
        }
        func rows(of table: Table, limitedTo bytes: Int) -> Int? {
            var table = table
            return table.limit(to: bytes) ? table.rows.count : nil
        }
        #expect(rows(of: list(10), cut: 0) == nil && rows(of: list(10), cut: -1) == nil)
        // A row has its text twice, in its cell and in the title.
        #expect(rows(of: list(10), cut: 1) == 9)
        #expect(rows(of: list(10), cut: 4_000) == 7)
        #expect(rows(of: list(10), cut: 1_000_000) == 1)
        #expect(rows(of: list(1), cut: 1) == nil)
        var table = list(10)
        table.rows[3].place = nil
        #expect(rows(of: table, cut: 1) == nil)
        table = list(10)
        table.field = nil
        #expect(rows(of: table, cut: 1) == nil)
        // What has one page leaves the rest out.
        #expect(rows(of: table, limitedTo: 5_000) == 2 && rows(of: list(2), limitedTo: 5_000) == nil)
        #expect(rows(of: table, limitedTo: 1) == 1)
    }

    @Test("Rows are sorted by moments and numbers as such, and what is missing is last")
    func sorting() {
        func texts(_ cells: [Cell], _ order: Column.Order) -> [String] {
            var table = Table("", [Column("ID", name: "id")], cells.map { TableRow([$0]) }, empty: "")
            table.sort(by: 0, order)
            return table.rows.map(\.cells[0].text)
        }
        #expect(texts(["10", "9", "–", "b", "A"].map { Cell($0) }, .ascending) == ["9", "10", "A", "b", "–"])
        let times = [Self.time(60), Self.time(-60), Cell("–")]
        #expect(texts(times, .descending).last == Self.time(-60).text)
        // Equal rows stay in their order, both ways.
        var table = Table(
            "", [Column("ID"), Column("State", name: "state")],
            ["a", "b", "c"].map { TableRow([Cell($0), Cell("on")]) }, empty: "")
        table.sort(by: 1, .descending)
        #expect(table.rows.map(\.cells[0].text) == ["a", "b", "c"])
        // A column or a cell that there is not changes nothing.
        table.rows[1].cells = []
        table.sort(by: 1, .ascending)
        table.sort(by: 7, .ascending)
        #expect(table.rows.count == 3)
    }

    @Test("A heading that sorts is a link, and says in which order the rows are")
    func headings() {
        var column = Column("State", name: "state")
        column.sort = "/list?sort=state"
        #expect(Self.text(column) == #"<th scope="col"><a href="/list?sort=state">State</a></th>"#)
        column.order = .descending
        #expect(Self.text(column).hasPrefix(#"<th scope="col" aria-sort="descending">"#))
    }

    @Test("Selected rows are sent by a form that asks")
    func selection() {
        var row = TableRow([.code("A", link: "/a"), Self.time(0)])
        row.value = "A"
        var table = Self.table([row])
        #expect(!Self.text(table).contains("checkbox"))
        table.selection = Selection(
            field: "users", all: "Select all", actions: [Link("Ban", "/do/ban", style: "danger")])
        let html = Self.text(table)
        #expect(html.contains(#"<form class="pick" method="get" action="/do/ban" data-all="Select all">"#), "\(html)")
        #expect(html.contains(#"<input type="checkbox" name="users" value="A" aria-label="A"> <a href="/a">"#))
        #expect(html.contains(#"<button class="danger" formaction="/do/ban">Ban</button>"#))
    }

    @Test("Every list whose columns are chosen has headings in the catalog, and fits into a person's preferences")
    func lists() {
        let catalog = Words.catalog("en")
        for (list, columns) in Console.chosenColumns {
            #expect(columns.allSatisfy { catalog[$0] != nil && $0.utf8.count <= 48 }, "\(list)")
            #expect(Set(columns).count == columns.count && columns.count <= 17)
        }
    }
}
