import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Hummingbird

extension Console {
    static func addFind(to pages: Pages) {
        pages.server("/find", as: nil) { page in try await page.findPage() }
        // The box sends a form, so that a secret key which somebody types never stands in an address.
        pages.serverForm("/find", as: nil) { page, form in try await page.find(form) }
    }
}

extension PageRequest {
    /// The address of what is found for a text, from a page of this app.
    func finding(_ text: String) -> String {
        let app = place.map { ["app": $0.app.id.rawValue] } ?? [:]
        return "\(Console.prefix)/find?\(FormValues(app.merging(["q": text]) { $1 }).encoded)"
    }

    fileprivate func find(_ form: FormValues) async throws -> Response {
        let text = Finder.cut(form["q"] ?? "")
        if let key = Self.secretKey(in: text) { return try await found(key, from: form["app"]) }
        let fields = ["q": text, "app": form["app"]].compactMapValues(\.self)
        return Console.redirect(to: "\(Console.prefix)/find?\(FormValues(fields).encoded)")
    }

    /// What is found in all apps that the person may see. The palette asks for it without the frame.
    fileprivate func findPage() async throws -> Response {
        var page = self
        let places = try await page.findPlaces(from: query["app"])
        let text = Finder.cut(query["q"] ?? "")
        let isPart = query["part"] != nil
        guard Self.secretKey(in: text) == nil else {
            return page.show(FindResult([], empty: words("find.secret-address"), words), for: nil, isPart: isPart)
        }
        let result = try await Finder(page: page, places: places, text: text, limit: isPart ? 6 : 25).result()
        if !isPart, let address = result.only { return Console.redirect(to: address) }
        return page.show(result, for: text, isPart: isPart)
    }

    private func show(_ result: FindResult, for text: String?, isPart: Bool) -> Response {
        if isPart { return Console.html(result.html) }
        let title =
            text.flatMap { $0.isEmpty ? nil : words("find.title", ["text": Self.plain($0, limit: 60)]) }
            ?? words("frame.find-button")
        var page = Page(title, section: "find")
        // A secret key that stands in the address stands nowhere on the page.
        if text == nil { page.here = "\(Console.prefix)/find" }
        return show(page) {
            section(.class("card")) { result }
        }
    }

    /// The apps in which the person finds things. The one of the page comes first, and the frame is its own.
    private mutating func findPlaces(from name: String?) async throws -> [PageRequest] {
        let apps = try await run(ListApps()).map(\.id).filter { person.role(in: $0) != nil }
        let current = name.map { AppID(Self.plain($0, limit: 64)) }
        let sorted = apps.filter { $0 == current } + apps.filter { $0 != current }
        var places: [PageRequest] = []
        for id in sorted.prefix(Finder.apps) {
            guard let role = person.role(in: id),
                let app = try? await actions.context(of: id, at: moment).app
            else { continue }
            var place = self
            place.enter(app, as: role)
            places.append(place)
            if id == current { enter(app, as: role) }
        }
        return places
    }

    // MARK: Secret keys

    private static func secretKey(in text: String) -> SecretKey? {
        text.range(ofBytes: SecretKey.mark).map { SecretKey(text[$0.lowerBound...].words.first ?? "") }
    }

    /// Leads to the row of a secret key. The address of that page has the key's id alone, and no page has the key.
    private func found(_ key: SecretKey, from app: String?) async throws -> Response {
        var page = self
        let owned = try await page.findPlaces(from: app).filter { $0.may(.owner) }
        for place in owned {
            guard let secret = try await place.run(ListSecrets()).first(where: { $0.isHash(of: key) }) else { continue }
            return Console.redirect(to: place.address("secrets") + "?key=\(secret.id)")
        }
        let empty = words(owned.isEmpty ? "find.secret" : "find.no-secret")
        return page.show(FindResult([], empty: empty, words), for: nil, isPart: false)
    }

    /// What an address may name: its beginning, without control characters, which no id has.
    static func plain(_ text: String, limit: Int) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 }.prefix(limit)))
    }
}

/// One thing that was found: a link with its state, and what tells it from others.
struct FindRow: Sendable {
    var title: Cell
    let address: String
    var state: Cell?
    var notes: [String] = []
    /// Whether it is what was typed, and leads there at once if nothing else was found.
    var isExact = false
    /// Whether it is the change that was asked for, and leads there at once whatever else was found.
    var isMeant = false
}

/// Things of one kind that were found.
struct FindGroup: Sendable {
    /// The key of its heading.
    let heading: String
    var rows: [FindRow]
}

/// What was found, as a page and as the part that the palette shows.
struct FindResult: HTMLPart, Markup {
    let groups: [FindGroup]
    let empty: String
    let words: Words

    init(_ groups: [FindGroup], empty: String, _ words: Words) {
        self.groups = groups.filter { !$0.rows.isEmpty }
        self.empty = empty
        self.words = words
    }

    private var rows: [FindRow] { groups.flatMap(\.rows) }

    /// Where the change that was asked for leads, or the only thing that was typed exactly.
    var only: String? {
        rows.first(where: \.isMeant)?.address ?? (rows.count == 1 ? rows.first { $0.isExact }?.address : nil)
    }

    /// How many things there are, as it is announced.
    private var count: String { rows.isEmpty ? empty : words("find.count", ["count": Words.number(rows.count)]) }

    var html: HTML {
        div(.class("found"), Attribute("data-count", count)) {
            if rows.isEmpty { p(.class("empty")) { empty } }
            for group in groups {
                h2 { words(group.heading) }
                ul {
                    for row in group.rows { li { self.row(row) } }
                }
            }
        }
    }

    private func row(_ row: FindRow) -> HTML {
        a(.href(row.address)) {
            row.title
            if let state = row.state {
                " "
                state
            }
            if !row.notes.isEmpty {
                " "
                small {
                    for (index, note) in row.notes.enumerated() {
                        if index > 0 { " · " }
                        bdi { note }
                    }
                }
            }
        }
    }
}
