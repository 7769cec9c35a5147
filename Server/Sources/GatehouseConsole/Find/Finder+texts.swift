import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

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
                title: Cell(visit.named(code)), address: "\(Manual.address(of: Manual.codes))#c-\(code.rawValue)",
                notes: [visit.todo(code)])
            return near.map { place in
                FindRow(
                    title: Cell(visit.named(code)), address: place.refusals(["code": String(code.rawValue)]),
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
        let role = visit.person.serverRole
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
    func settings() throws -> [FindRow] {
        try near.flatMap { place in
            let view = try place.operatorView()
            return OperatorActions.all.filter { $0.about.subject == .app }.flatMap { action in
                let about = action.about
                return action.askedNames(view).compactMap { name -> FindRow? in
                    guard let label = words.optional("setting.\(name)"), looked.match(label),
                        NavigationItem.app.flatMap(\.items).contains(where: {
                            $0.section == about.section && place.role >= $0.role
                        })
                    else { return nil }
                    let address =
                        place.role >= about.role ? place.deed(about.name) + "#f-\(name)" : place.address(about.section)
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
