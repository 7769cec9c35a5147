import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Console {
    static let auditColumns = ChosenList<OperatorRecord>(
        name: "audit",
        columns: [
            .init("timeline.when") { page, record in .time(record.date, page.local) },
            .init("audit.operator") { page, record in page.by(record) },
            .init("audit.action") { page, record in
                Cell(page.words.optional("deed.\(record.action)") ?? record.action)
            },
            .init("audit.target") { page, record in page.target(of: record) },
            .init("audit.changes") { page, record in page.changes(by: record) },
            .init("deed.reason") { _, record in Cell(record.givenReason, note: record.ticket) },
        ])
}

/// Records with the differences that they made, in words.
extension PageRequest {
    /// The records of a list whose columns the reader chooses.
    func recordList(_ records: [OperatorRecord], empty: String) -> Table {
        listed(Console.auditColumns, words("nav.audit"), records, empty: empty, row: completeRow)
    }

    /// The same records within another page.
    func recordTable(_ records: [OperatorRecord]) -> Table {
        table(of: Console.auditColumns, words("nav.audit"), records, empty: "", row: completeRow)
    }

    private func completeRow(_ record: OperatorRecord, _ row: inout TableRow) {
        (row.id, row.place) = ("d-\(record.id)", record.id)
    }

    fileprivate func by(_ record: OperatorRecord) -> Cell {
        var cell = Cell(record.personName, note: capacity(of: record))
        if request.uri.path.ends(with: "/audit"), !record.personName.isEmpty {
            cell.link = address(with: "by", record.personName)
        }
        return cell
    }

    /// The first change in the row's line, and the others beneath it, with where the record came from.
    fileprivate func changes(by record: OperatorRecord) -> Cell {
        let changes = record.before.flatMap { before in record.after.map { self.changes(from: before, to: $0) } } ?? []
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
                if !record.transactionID.isEmpty {
                    p(.class("small")) {
                        "\(words("frame.transaction")) "
                        code { record.transactionID }
                        " · \(record.address)"
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
        // What begins has no before that a reader would look for.
        if change.before != "–" {
            del { change.before }
            " → "
        }
        ins { change.after }
    }

    /// A record with more changes than this is summed up, and one with more than the other shows the rest in the file alone.
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
    func capacity(of record: OperatorRecord) -> String {
        if let role = record.role { return words("role.\(role.rawValue)") }
        if record.door == .httpAPI { return words("actor.gameServer") }
        return words.optional("door.\(record.door.rawValue)") ?? record.door.rawValue
    }

    func target(of record: OperatorRecord) -> Cell {
        let path: String? =
            switch ActionTarget(record.target) {
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
        let parts = record.target.parts(at: " ", atMost: 2).map(String.init)
        let kind = words.optional("target.\(parts.first ?? "")") ?? parts.first ?? ""
        var cell = Cell(([kind] + parts.dropFirst()).joined(separator: " "))
        guard let app = record.app else { return cell }
        if let path { cell.link = "\(Console.prefix)/apps/\(FormValues.encoded(app.rawValue))/\(path)" }
        if place == nil { cell.note = app.rawValue }
        return cell
    }
}

extension OperatorRecord {
    /// The reason as it was given, or a dash. An action that takes no reason has its own name there.
    var givenReason: String { reason.isEmpty || reason == action ? "–" : reason }
}

/// What differs after a change, in words.
struct StateChange {
    /// The value's name in the state.
    let name: String
    let label: String
    let before: String
    let after: String
}

extension PageRequest {
    /// What differs, as a reader is told it. A ban is one difference: its text for players, and its end.
    func changes(from before: TargetState, to after: TargetState) -> [StateChange] {
        let changes = before.difference(to: after)
        let bans = Set(changes.map(\.name).filter(Self.isBan))
        // A new key may end the oldest, and is what the row is about.
        let isNewKey = { (change: (name: String, before: String?, after: String?)) in
            change.before == nil && Self.isSecret(change.name)
        }
        return (changes.filter(isNewKey) + changes.filter { !isNewKey($0) }).filter { change in
            !["EndsAt", "Template"].contains { part in
                change.name.ends(with: part) && bans.contains(String(change.name.dropLast(part.count)))
            }
        }.map { name, _, _ in
            StateChange(
                name: name, label: label(of: name), before: value(of: name, in: before),
                after: value(of: name, in: after))
        }
    }

    private static func isBan(_ name: String) -> Bool { name == "ban" || name.ends(with: ".ban") }

    /// The name of a value. Those of one of several members, or of one language, have several parts.
    private func label(of name: String) -> String {
        if Self.isSecret(name) { return words("state.secret") }
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
        // Two keys may be called the same.
        return Self.isSecret(name) ? scopes(text).map { "\($0) · \(name)" } : nil
    }

    /// Whether it is a secret key, which has its id for a name.
    private static func isSecret(_ name: String) -> Bool { name.utf8.count == 12 && name.allSatisfy(\.isHexDigit) }

    /// What a secret key may do, behind what it is called; nil for a text that is none of these.
    private func scopes(_ text: String) -> String? {
        let parts = text.parts(at: ":")
        let scopes = (parts.last ?? "").parts(at: " ").map { words.optional("scope.\($0)") }
        guard !scopes.isEmpty, !scopes.contains(where: { $0 == nil }) else { return nil }
        let name = parts.dropLast().map { String($0) }.joined(separator: ":")
        return ([name].filter { !$0.isEmpty } + [scopes.compactMap(\.self).joined(separator: ", ")])
            .joined(separator: ": ")
    }

    private func moment(_ text: String?, of name: String) -> Moment? {
        guard
            name.ends(with: "At") || name.ends(with: "Until") || name.ends(with: ".begin") || name.ends(with: ".end"),
            let date = text.flatMap({ Int64($0) }), date > 1_000_000_000_000
        else { return nil }
        return Moment(milliseconds: date)
    }

    /// What players read of a ban, as far as it has a name, and until when it holds.
    private func ban(_ name: String, in state: TargetState) -> String {
        let end = moment(state.values["\(name)EndsAt"], of: "\(name)EndsAt").map {
            words("value.until", ["moment": local.absolute($0)])
        }
        return [state.values["\(name)Template"], end ?? words("bans.for-good")].compactMap(\.self)
            .joined(separator: " · ")
    }

    /// A value of a state: bans, moments and states of members are written out.
    private func value(of name: String, in state: TargetState) -> String {
        guard let text = state.values[name], !text.isEmpty else { return "–" }
        if Self.isBan(name) { return ban(name, in: state) }
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
