import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

// What was done, and how it is undone.
extension PageRequest {
    /// How long the person who has done something undoes it with one press.
    private static let undoSeconds: Int64 = 600

    /// The result line of a page to which an action has led, with its *Undo*.
    func resultLine() async throws -> (text: String, undo: Link?)? {
        guard let id = query["done"], id.utf8.count <= 64, let record = try await run(.operatorRecord(id)) else {
            return nil
        }
        guard record.person == person.id else {
            let other = ["name": record.personName, "action": words("deed.\(record.action)")]
            return (words("done.by-other", other), undo(of: record))
        }
        let text = listResult(record) ?? words("done.\(record.action)")
        let undo = undoAtOnce(of: record) ?? undo(of: record) ?? otherMember(of: record)
        return (named(record).map { "\($0): \(text)" } ?? text, undo)
    }

    /// The name of what an action was about; nil for what has none, such as the app's settings.
    private func named(_ record: OperatorRecord) -> String? {
        switch ActionTarget(record.target) {
        case .member(let user)?: user.rawValue
        case .provider(let provider)?: providerName(provider)
        case .person(let name)?: name
        default: nil
        }
    }

    /// The member from which a restored one has its identity back.
    private func otherMember(of record: OperatorRecord) -> Link? {
        guard record.action == RestoreMember.about.name, let other = query["other"] else { return nil }
        let user = UserID(Self.plain(other, limit: 32))
        return Link(words("done.other-member", ["user": user.rawValue]), memberLink(user))
    }

    /// The link that undoes an action; nil where nothing can.
    func undo(of record: OperatorRecord) -> Link? {
        guard let undo = OperatorActions.named[record.action]?.about.undo else { return nil }
        return offer(undo, undoFields(of: record), text: words("deed.undo"))
    }

    /// What the address of the form says that undoes an action.
    private func undoFields(of record: OperatorRecord) -> [String: String] {
        var fields = ActionTarget(record.target)?.fields ?? [:]
        if case .clientRules? = ActionTarget(record.target) { fields["rule"] = Console.clientRule(of: record) }
        // A form about settings begins with the values before the action.
        if fields["user"] == nil, fields["provider"] == nil { fields["earlier"] = record.id }
        return fields
    }

    /// The button that undoes an action with one press; nil for somebody else's, later, and where something would have to be chosen.
    private func undoAtOnce(of record: OperatorRecord) -> Link? {
        guard let action = OperatorActions.named[record.action]?.about.undo, role >= action.about.role,
            mayUndoAtOnce(record, by: action)
        else { return nil }
        // Opened by itself, the address leads to the ordinary page.
        var link = Link(words("deed.undo"), actionAddress(action, undoFields(of: record), "/undo"))
        link.sends = [Field("of", "", .hidden, value: record.id)]
        return link
    }

    private func mayUndoAtOnce(_ record: OperatorRecord, by action: any OperatorAction.Type) -> Bool {
        action.undoesExactly && record.person == person.id && moment < record.date.adding(seconds: Self.undoSeconds)
    }

    /// Undoes an action with one press. What can't be undone so leads to the ordinary page.
    func undoAtOnce(by action: any OperatorAction.Type, _ form: FormValues) async throws -> Response {
        guard let id = form["of"], id.utf8.count <= 64, form.unreadable.isEmpty,
            let record = try await run(.operatorRecord(id)),
            OperatorActions.named[record.action]?.about.undo?.about.name == action.about.name
        else { throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404) }
        // However often it is pressed, it counts once.
        let once = OperatorRecord.undoMark + record.id
        if let response = try await outcome(of: once, action) { return response }
        let fields = undoFields(of: record)
        let ordinary = Console.redirect(to: actionAddress(action, fields))
        guard mayUndoAtOnce(record, by: action) else { return ordinary }
        let begun = FormValues(fields)
        var values = ActionPage(action, begun, fields: filled(try await self.fields(of: action, begun), begun)).sent
        values["filled"] = "on"
        do {
            let forecast = try await forecast(of: action, values)
            guard forecast.preview.typed == nil, !needsSignIn(action, forecast.preview) else { return ordinary }
            let target = try target(of: action, values)
            // Without the state after the action, nothing must have been done since.
            if record.after == nil, try await run(.operatorRecords(of: target, limit: 1)).first?.id != record.id {
                return try await show(action, values, forecast, notice: .stale)
            }
            let seen = record.after?.version ?? forecast.seen
            let confirmation = confirmed(action, target, ticket: record.ticket, once: once, seen: seen)
            let reason = words(
                "deed.undo-reason", ["action": words("deed.\(record.action)"), "reason": record.reason])
            return try await perform(action, values, confirmation, reason: Self.first(1_000, of: reason))
        } catch {
            // A button that is pressed twice at the same time finds the action undone by its twin.
            if let response = try await outcome(of: once, action) { return response }
            return try await self.form(of: action, values, after: error)
        }
    }

    private static func first(_ count: Int, of text: String) -> String {
        var short = String.UnicodeScalarView()
        short.append(contentsOf: text.unicodeScalars.prefix(count))
        return String(short)
    }
}

extension PageRequest {
    /// What came of an action about a list: how many members it changed, and why it left out the others. Nil for another action.
    func listResult(_ record: OperatorRecord) -> String? {
        guard let count = record.listCount, let before = record.before else { return nil }
        let isBan = record.action == BanListedMembers.about.name
        let changed = isBan ? record.begunBans.count : record.endedBans.count
        let members = before.listedUsers
        let gone = members.filter { user in
            [MemberStatus.withdrawn, .missing].contains { before.values["\(user).status"] == $0.rawValue }
        }.count
        let unknown = count - members.count
        var left = [("gone", isBan ? gone : 0), ("unknown", unknown)]
        left.append((isBan ? "already" : "not-banned", count - changed - left.reduce(0) { $0 + $1.1 }))
        let reasons = left.filter { $0.1 > 0 }.map { words("left-out.\($0.0)", ["count": Words.number($0.1)]) }
        let done = words("done.\(record.action)", ["count": Words.number(changed)])
        guard !reasons.isEmpty else { return done }
        return done + " "
            + words("left-out", ["count": Words.number(count - changed), "reasons": reasons.joined(separator: ", ")])
    }
}

extension OperatorRecord {
    /// How many ids a list had; nil for an action about something else.
    fileprivate var listCount: Int? {
        let parts = target.parts(at: " ")
        return parts.count == 2 && parts[0] == "members" ? Int(parts[1]) : nil
    }
}
