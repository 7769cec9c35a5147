import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// Deeds with the differences that they made, in words.
extension Visit {
    /// The deeds of a list whose columns the reader chooses.
    func deedList(_ deeds: [DeedRecord], empty: String) -> Table {
        listed(.audit, words("nav.audit"), deeds.map(deedRow), empty: empty)
    }

    /// The same deeds within another page.
    func deedTable(_ deeds: [DeedRecord]) -> Table {
        Table(words("nav.audit"), columns(ChosenList.audit.columns), deeds.map(deedRow), empty: "")
    }

    /// One deed, with the difference that it made.
    private func deedRow(_ deed: DeedRecord) -> TableRow {
        var by = Cell(deed.personName, note: capacity(of: deed))
        if request.uri.path.ends(with: "/audit"), !deed.personName.isEmpty {
            by.link = address(with: "by", deed.personName)
        }
        var row = TableRow([
            .time(deed.date, local), by, Cell(words.optional("deed.\(deed.action)") ?? deed.action), target(of: deed),
            changes(by: deed),
            Cell(deed.givenReason, note: deed.ticket),
        ])
        (row.id, row.place) = ("d-\(deed.id)", deed.id)
        return row
    }

    /// The first change in the row's line, and the others beneath it, with where the deed came from.
    private func changes(by deed: DeedRecord) -> Cell {
        let changes = deed.before.flatMap { before in deed.after.map { self.changes(from: before, to: $0) } } ?? []
        let isFolded = changes.count > Self.openChanges
        return .content(changes.first?.name ?? "") {
            details {
                if isFolded {
                    summary { summary(of: changes) }
                } else {
                    summary {
                        if let first = changes.first { text(of: first) } else { words("audit.more") }
                        if changes.count > 1 {
                            " "
                            small { "+\(changes.count - 1)" }
                        }
                    }
                }
                list(of: isFolded ? changes[...] : changes.dropFirst())
                // A command has neither.
                if !deed.transactionID.isEmpty {
                    p(.class("small")) {
                        "\(words("frame.transaction")) "
                        code { deed.transactionID }
                        " · \(deed.address)"
                    }
                }
            }
        }
    }

    @HTMLBuilder private func list(of changes: ArraySlice<StateChange>) -> HTML {
        if !changes.isEmpty {
            ul(.class("changes")) {
                for change in changes.prefix(Self.foldedChanges) { li { text(of: change) } }
            }
        }
        if changes.count > Self.foldedChanges {
            let left = Words.number(changes.count - Self.foldedChanges)
            p(.class("small")) { words("audit.left", ["count": left]) }
        }
    }

    @HTMLBuilder private func text(of change: StateChange) -> HTML {
        span(.class("small")) { change.label }
        " "
        // What begins with a deed has no before that a reader would look for.
        if change.before != "–" {
            del { change.before }
            " → "
        }
        ins { change.after }
    }

    /// A deed with more changes than this is summed up, and one with more than the other shows the rest in the file alone.
    private static let (openChanges, foldedChanges) = (8, 20)

    /// `73 members · Normal → Banned`, or how many values have changed.
    private func summary(of changes: [StateChange]) -> String {
        let states = changes.filter { $0.name.ends(with: ".status") }
        guard let first = states.first else { return words("audit.count", ["count": Words.number(changes.count)]) }
        let members = words("audit.members", ["count": Words.number(states.count)])
        guard states.allSatisfy({ $0.before == first.before && $0.after == first.after }) else { return members }
        return "\(members) · \(first.before) → \(first.after)"
    }

    /// The role of a person of the console, and through what else something was done.
    func capacity(of deed: DeedRecord) -> String {
        if let role = deed.role { return words("role.\(role.rawValue)") }
        if deed.door == .httpAPI { return words("actor.gameServer") }
        return words.optional("door.\(deed.door.rawValue)") ?? deed.door.rawValue
    }

    func target(of deed: DeedRecord) -> Cell {
        let path: String? =
            switch DeedTarget(deed.target) {
            case .member(let user)?: "members/\(FormValues.encoded(user.rawValue))"
            case .banTemplate?: "ban-templates"
            case .reply?: "replies"
            case .provider?: "providers"
            case .testDevice?: "test-devices"
            case .signingKeys?: "signing-keys"
            case .secrets?: "secrets"
            case .alertReceivers?: "alerts"
            case .imports?: "imports"
            default: nil
            }
        let parts = deed.target.parts(at: " ", atMost: 2).map(String.init)
        let kind = words.optional("target.\(parts.first ?? "")") ?? parts.first ?? ""
        var cell = Cell(([kind] + parts.dropFirst()).joined(separator: " "))
        guard let app = deed.app else { return cell }
        if let path { cell.link = "\(Console.prefix)/apps/\(FormValues.encoded(app.rawValue))/\(path)" }
        if place == nil { cell.note = app.rawValue }
        return cell
    }
}

extension DeedRecord {
    /// The reason as it was given, or a dash. A deed that takes no reason has its own name there.
    var givenReason: String { reason.isEmpty || reason == action ? "–" : reason }
}
