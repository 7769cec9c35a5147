import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// Deeds with the differences that they made, in words.
extension Visit {
    func auditTable(_ deeds: [DeedRecord]) -> HTML {
        let columns = [
            "timeline.when", "audit.operator", "audit.action", "audit.target", "audit.changes", "deed.reason",
        ]
        return scroll(words("nav.audit")) {
            table(.class("audit")) {
                thead {
                    tr { headers(columns.map { words($0) }) }
                }
                tbody { for deed in deeds { auditRow(deed) } }
            }
        }
    }

    /// One deed, with the difference that it made.
    private func auditRow(_ deed: DeedRecord) -> HTML {
        var by = Cell(deed.personName, note: words("role.\(deed.role.rawValue)"))
        if request.uri.path.ends(with: "/audit") { by.link = address(with: "by", deed.personName) }
        return tr(.id("d-\(deed.id)")) {
            td { Cell.time(deed.date, local) }
            td { by }
            td { Cell(words.optional("deed.\(deed.action)") ?? deed.action) }
            td { target(of: deed) }
            td { changes(by: deed) }
            td {
                // What takes no reason has its own name there.
                Cell(deed.reason.isEmpty || deed.reason == deed.action ? "–" : deed.reason, note: deed.ticket)
                details {
                    summary(.class("small")) { words("audit.more") }
                    p(.class("small")) {
                        "\(words("frame.transaction")) "
                        code { deed.transactionID }
                        " · \(deed.address)"
                    }
                }
            }
        }
    }

    @HTMLBuilder private func changes(by deed: DeedRecord) -> HTML {
        let changes = deed.before.flatMap { before in deed.after.map { before.difference(to: $0) } } ?? []
        if changes.isEmpty {
            "–"
        } else if changes.count > Self.openChanges {
            details {
                summary { summary(of: changes) }
                list(of: changes)
            }
        } else {
            list(of: changes)
        }
    }

    private typealias Change = (name: String, before: String?, after: String?)

    @HTMLBuilder private func list(of changes: [Change]) -> HTML {
        ul(.class("changes")) {
            for change in changes.prefix(Self.foldedChanges) {
                let isTime = moment(change.after ?? change.before, of: change.name) != nil
                li(.class(isTime ? "time" : nil)) {
                    span(.class("small")) { name(of: change.name) }
                    " "
                    del { value(change.before, of: change.name) }
                    " → "
                    ins { value(change.after, of: change.name) }
                }
            }
        }
        if changes.count > Self.foldedChanges {
            let left = String(changes.count - Self.foldedChanges)
            p(.class("small")) { words("audit.left", ["count": left]) }
        }
    }

    /// A deed with more changes than this folds them, and one with more than the other shows the rest in the file alone.
    private static let (openChanges, foldedChanges) = (8, 20)

    /// `73 members · Normal → Banned`, or how many values have changed.
    private func summary(of changes: [Change]) -> String {
        let states = changes.filter { $0.name.ends(with: ".status") }
        guard let first = states.first else { return words("audit.count", ["count": String(changes.count)]) }
        let members = words("audit.members", ["count": String(states.count)])
        guard states.allSatisfy({ $0.before == first.before && $0.after == first.after }) else { return members }
        return "\(members) · \(value(first.before, of: first.name)) → \(value(first.after, of: first.name))"
    }

    private func target(of deed: DeedRecord) -> Cell {
        let path: String? =
            switch DeedTarget(deed.target) {
            case .member(let user)?: "members/\(FormValues.encoded(user.rawValue))"
            case .banTemplate?: "ban-templates"
            case .provider?: "providers"
            case .testDevice?: "test-devices"
            case .signingKeys?: "signing-keys"
            case .secrets?: "secrets"
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

    /// The name of a value. Those of one of several members, or of one language, have several parts.
    private func name(of name: String) -> String {
        func word(_ part: String) -> String? {
            ["state", "provider.set", "setting"].lazy.compactMap { words.optional("\($0).\(part)") }.first
        }
        if let known = word(name) { return known }
        return name.parts(at: ".").map { part in
            word(String(part)) ?? words.optional("language.\(part)") ?? String(part)
        }.joined(separator: ": ")
    }

    /// What a value that is a token of the program means; nil for a text.
    private func word(_ text: String, of name: String) -> String? {
        if name.begins(with: "grant.") { return words.optional("role.\(text)") }
        if name == "secrets" { return words("value.changed") }
        if let known = words.optional("value.\(text)") { return known }
        let lists =
            name == "identities" || name.ends(with: ".identities")
            ? text.parts(at: ",").map { String($0).trimmingSpaces() } : []
        if !lists.isEmpty { return lists.map(providerLabel).joined(separator: ", ") }
        // A secret key has its id for a name, and its scopes stand behind what it is called.
        guard name.utf8.count == 12, name.allSatisfy(\.isHexDigit) else { return nil }
        let parts = text.parts(at: ":", atMost: 2).map { String($0).trimmingSpaces() }
        let scopes = (parts.last ?? "").parts(at: " ").map { words.optional("scope.\($0)") }
        guard !scopes.isEmpty, !scopes.contains(where: { $0 == nil }) else { return nil }
        return (parts.dropLast() + [scopes.compactMap { $0 }.joined(separator: ", ")]).joined(separator: ": ")
    }

    private func moment(_ text: String?, of name: String) -> Moment? {
        guard
            name.ends(with: "At") || name.ends(with: "Until") || name.ends(with: ".begin") || name.ends(with: ".end"),
            let date = text.flatMap({ Int64($0) }), date > 1_000_000_000_000
        else { return nil }
        return Moment(milliseconds: date)
    }

    /// A value of a state: moments and states of members are written out.
    private func value(_ text: String?, of name: String) -> String {
        guard let text, !text.isEmpty else { return "–" }
        if let moment = moment(text, of: name) { return local.absolute(moment) }
        // Its id says nothing to a reader.
        if name == "graceBan" || name.ends(with: ".graceBan") { return words("value.grace-begun") }
        if name.ends(with: "status"),
            let known = words.optional("member.state.\(text)") ?? words.optional("status.\(text)")
        {
            return known
        }
        if let known = word(text, of: name) { return known }
        return text.count > 300 ? "\(text.prefix(300))…" : text
    }
}
