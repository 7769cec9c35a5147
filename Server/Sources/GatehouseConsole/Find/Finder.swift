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

    let visit: Visit
    /// The apps, that of the page first.
    let places: [Visit]
    let text: String
    /// Upper bound on the rows of a group.
    let limit: Int

    var words: Words { visit.words }
    /// The text without what comes along by typing and pasting it, for what has no spelling of its own.
    var typed: String { text.typedText }
    var looked: FindWords { FindWords(text) }

    /// The apps whose pages and changes are offered: that of the page, or else the first few.
    var near: ArraySlice<Visit> { places.prefix(visit.place == nil ? 3 : 1) }

    /// As much of a text as is looked for.
    static func cut(_ text: String) -> String {
        let list = Visit.plain(text, limit: lettersOfList)
        // What is not ASCII grows in an address.
        guard list.utf8.count <= lettersOfList + letters, !TypedCommand(list).list.isEmpty else {
            return Visit.plain(text, limit: letters)
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
            FindGroup(heading: "find.settings", rows: try settings()),
            FindGroup(heading: "frame.help", rows: help()),
        ].map { FindGroup(heading: $0.heading, rows: Array($0.rows.prefix(limit))) }
        return FindResult(groups, empty: words(text.has("@") ? "find.mail" : "find.empty"), words)
    }

    /// The app's name where it is not plain which app is meant.
    func appName(_ place: Visit) -> [String] {
        guard let app = place.place?.app, places.count > 1 else { return [] }
        return [app.name]
    }

    // MARK: Players

    private func players() async throws -> [FindRow] {
        var rows: [FindRow] = []
        for place in places where rows.count < limit {
            rows += try await place.run(FindPlayer(text: text)).prefix(limit).map { row($0, in: place) }
        }
        return rows
    }

    func row(_ found: FindPlayer.Found, in place: Visit) -> FindRow {
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
            let members = try await place.run(ListDeviceMembers(on: key)).count
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
        for entry in try await visit.run(ListRecentMembers(of: visit.person.id, limit: 6)) {
            guard let place = places.first(where: { $0.place?.app.id == entry.app }),
                let found = try await place.run(FindPlayer(text: entry.user.rawValue)).first
            else { continue }
            var row = row(found, in: place)
            row.notes.insert(place.local.relative(entry.date), at: 0)
            rows.append(row)
        }
        return rows
    }
}

extension Visit {
    fileprivate func foundBy(_ member: FindPlayer.Found) -> String {
        words(
            "find.by.\(member.by.rawValue)",
            [
                "idp": member.provider.map { providerLabel($0.rawValue) } ?? "",
                "date": member.until.map { local.absolute($0) } ?? "–", "source": member.source ?? "",
            ])
    }
}
