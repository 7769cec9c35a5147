import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

/// Finds what a person may have meant by a text, in every app that the person may see. Each kind of thing is a bounded number of looks
/// into an index, or into texts that are compiled in.
struct Finder: Sendable {
    /// Upper bound on what is read of the text, and of one that may be a list of user ids.
    static let letters = 200
    private static let lettersOfList = 2_000
    /// Upper bound on the apps that are looked through.
    static let apps = 30

    let page: PageRequest
    /// The apps, that of the page first.
    let places: [PageRequest]
    let text: String
    /// Upper bound on the rows of a group.
    let limit: Int

    var words: Words { page.words }
    /// The text without what comes along by typing and pasting it, for what has no spelling of its own.
    var typed: String { text.typedText }
    var looked: FindWords { FindWords(text) }

    /// The apps whose pages and changes are offered: that of the page, or else the first few.
    var near: ArraySlice<PageRequest> { places.prefix(page.place == nil ? 3 : 1) }

    /// As much of a text as is looked for.
    static func cut(_ text: String) -> String {
        let list = PageRequest.plain(text, limit: lettersOfList)
        // What is not ASCII grows in an address.
        guard list.utf8.count <= lettersOfList + letters, !TypedCommand(list).list.isEmpty else {
            return PageRequest.plain(text, limit: letters)
        }
        return list
    }

    func result() async throws -> FindResult {
        guard !text.words.isEmpty else {
            let recent = FindGroup(heading: "find.recent", rows: try await recent())
            return FindResult([recent], empty: words("find.hint"), words)
        }
        let devices = try await devices()
        // A device has the key that its guest has as well.
        let players = devices.isEmpty ? try await players() : []
        let isMember = players.contains { $0.isExact && $0.title.isCode }
        let groups = [
            FindGroup(heading: "find.members", rows: players),
            FindGroup(heading: "find.devices", rows: devices),
            FindGroup(heading: "nav.refusals", rows: isMember ? [] : try await refusals()),
            FindGroup(heading: "find.changes", rows: try await changes()),
            FindGroup(heading: "find.people", rows: try await people()),
            FindGroup(heading: "find.codes", rows: codes()),
            FindGroup(heading: "nav.apps", rows: named()),
            FindGroup(heading: "frame.navigation", rows: pages()),
            FindGroup(heading: "find.settings", rows: settings()),
            FindGroup(heading: "frame.help", rows: help()),
        ].map { FindGroup(heading: $0.heading, rows: Array($0.rows.prefix(limit))) }
        return FindResult(groups, empty: words(text.has("@") ? "find.mail" : "find.empty"), words)
    }

    /// The app's name where it is not plain which app is meant.
    func appName(_ place: PageRequest) -> [String] {
        guard let app = place.place?.app, places.count > 1 else { return [] }
        return [app.name]
    }

    // MARK: Players

    private func players() async throws -> [FindRow] {
        var rows: [FindRow] = []
        for place in places where rows.count < limit {
            rows += try await place.run(.players(foundBy: text)).prefix(limit).map { row($0, in: place) }
        }
        return rows
    }

    func row(_ found: FoundPlayer, in place: PageRequest) -> FindRow {
        var notes = found.providers.isEmpty ? [] : [place.providerLabels(found.providers)]
        if ![.userID, .beginning].contains(found.by) { notes.append(place.foundBy(found)) }
        return FindRow(
            title: .code(found.user.rawValue), address: place.memberLink(found.user),
            state: place.memberState(found.status), notes: notes + appName(place),
            isExact: found.by != .formerIdentity)
    }

    /// Devices with several members. A viewer does not see keys, and is led to the device's guest alone.
    private func devices() async throws -> [FindRow] {
        guard Base64URL.decode(typed)?.count == 32 else { return [] }
        let key = KeyThumbprint(typed)
        var rows: [FindRow] = []
        for place in places where place.may(.support) {
            let members = try await place.run(.members(on: key)).count
            guard members > 1 else { continue }
            let count = words("refusal.player-count", ["count": Words.number(members)])
            rows.append(
                FindRow(
                    title: .code(typed), address: place.deviceLink(key), notes: [count] + appName(place),
                    isExact: true))
        }
        return rows
    }

    private func refusals() async throws -> [FindRow] {
        var rows: [FindRow] = []
        for place in places where rows.count < limit {
            rows += try await place.run(FindRefusals(transactionID: typed)).map { refusal in
                FindRow(
                    title: Cell(place.named(refusal.code)), address: place.refusalLink(refusal),
                    notes: [place.local.absolute(refusal.date), refusal.user?.rawValue].compactMap(\.self)
                        + appName(place),
                    isExact: true)
            }
        }
        return rows
    }

    /// The members that the person has changed last.
    private func recent() async throws -> [FindRow] {
        var rows: [FindRow] = []
        for entry in try await page.run(ListRecentMembers(of: page.person.id, limit: 6)) {
            guard let place = places.first(where: { $0.place?.app.id == entry.app }),
                let found = try await place.run(.players(foundBy: entry.user.rawValue)).first
            else { continue }
            var row = row(found, in: place)
            row.notes.insert(place.local.relative(entry.date), at: 0)
            rows.append(row)
        }
        return rows
    }
}

extension PageRequest {
    fileprivate func foundBy(_ member: FoundPlayer) -> String {
        words(
            "find.by.\(member.by.rawValue)",
            [
                "idp": member.provider.map { providerLabel($0.rawValue) } ?? "",
                "date": member.until.map { local.absolute($0) } ?? "–", "source": member.source ?? "",
            ])
    }
}

// What is found by the words of the console itself.
extension Finder {
    /// Error codes by their number or their words: what they mean, and the calls that were refused with them.
    func codes() -> [FindRow] {
        let number = typed.words.joined()
        let codes = ErrorCode.table.map(\.code).filter { code in
            if String(code.rawValue) == number || code.name == number.uppercased() { return true }
            return number.utf8.count > 3 && words.optional("code.\(code.rawValue)").map(looked.match) == true
        }
        return codes.flatMap { code in
            let help = FindRow(
                title: Cell(page.named(code)), address: "\(Manual.address(of: Manual.codes))#c-\(code.rawValue)",
                notes: [page.todo(code)])
            return near.map { place in
                FindRow(
                    title: Cell(page.named(code)), address: place.refusals(["code": String(code.rawValue)]),
                    notes: [words("nav.refusals")] + appName(place))
            } + (codes.count == 1 ? [help] : [])
        }
    }

    /// Apps by their name or id.
    func named() -> [FindRow] {
        places.compactMap { place in
            guard let app = place.place?.app, looked.match(app.name) || looked.match(app.id.rawValue) else {
                return nil
            }
            return FindRow(
                title: Cell(app.name), address: place.address(""),
                state: place.statusCell(app.currentStatus(at: place.moment)), notes: [app.id.rawValue])
        }
    }

    /// Pages of the navigation by their names.
    func pages() -> [FindRow] {
        let items = NavigationItem.app.flatMap(\.items)
        let ofApps = near.flatMap { place in
            items.filter { place.role >= $0.role && looked.match(words("nav.\($0.section)")) }.map { item in
                FindRow(
                    title: Cell(words("nav.\(item.section)")), address: place.address(item.path),
                    notes: appName(place))
            }
        }
        let ofServer: [(section: String, path: String, role: OperatorRole)] = [
            ("jobs", "jobs", .viewer), ("health", "health", .viewer), ("operators", "operators", .owner),
            ("server-audit", "audit", .owner),
        ]
        let role = page.person.serverRole
        let mine = [("nav.apps", ""), ("frame.account", "/me"), ("frame.help", "/help")]
        return ofApps
            + ofServer.filter { item in role.map { $0 >= item.role } ?? false }.map {
                ("nav.\($0.section)", "/\($0.path)")
            }
            .appending(mine).filter { looked.match(words($0.0)) }.map { key, path in
                FindRow(title: Cell(words(key)), address: Console.prefix + path)
            }
    }

    /// Settings of apps by their labels: the field of the form, or the page for somebody who may not change it.
    func settings() -> [FindRow] {
        near.flatMap { place in
            let context = place.operatorContext()
            return OperatorActions.all.filter { $0.about.subject == .app }.flatMap { action in
                let about = action.about
                return action.askedNames(context).compactMap { name -> FindRow? in
                    guard let label = words.optional("setting.\(name)"), looked.match(label),
                        NavigationItem.app.flatMap(\.items).contains(where: {
                            $0.section == about.section && place.role >= $0.role
                        })
                    else { return nil }
                    let address =
                        place.role >= about.role
                        ? place.actionAddress(action) + "#f-\(name)" : place.address(about.section)
                    return FindRow(
                        title: Cell(label), address: address, notes: [words("nav.\(about.section)")] + appName(place))
                }
            }
        }
    }

    /// Headings of the manual.
    func help() -> [FindRow] {
        Manual.of(words.language).sections.filter { $0.level > 1 && looked.match($0.title) }.map {
            FindRow(title: Cell($0.title), address: Manual.address(of: $0.name))
        }
    }
}

extension Array {
    fileprivate func appending(_ other: [Element]) -> [Element] { self + other }
}

/// What is looked for in names and titles: every word has to begin a word there. Where words are not written apart, it may stand anywhere.
struct FindWords: Sendable, Hashable {
    let all: [String]

    init(_ text: String) {
        self.init(text.words)
    }

    init(_ words: [String]) {
        all = words.prefix(12).map(\.typedText.folded).filter { !$0.isEmpty }
    }

    /// A single letter would match too much.
    var isEnough: Bool { all.reduce(0) { $0 + $1.utf8.count } > 1 }

    func match(_ title: String) -> Bool { isEnough && all.allSatisfy(Self.stands(in: title)) }

    /// Whether at least one of the words is there.
    func matchAny(_ text: String) -> Bool { isEnough && all.contains(where: Self.stands(in: text)) }

    /// Whether a word is in a text.
    private static func stands(in text: String) -> (String) -> Bool {
        let text = text.folded
        let names = text.pieces { !$0.properties.isAlphabetic && !("0"..."9").contains($0) }
        return { word in names.contains { $0.begins(with: word) } || !ASCII.isAll(word) && text.has(word) }
    }
}
