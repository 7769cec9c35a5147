import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

// The changes that a text asks for, each with its form as far as the text fills it in, and what others have changed.
extension Finder {
    /// Upper bounds on the members and on the changes of a command.
    private static let commandMembers = 3
    private static let commandChanges = 4
    /// The changes of the server that need nothing but their form.
    private static let ofServer: [any OperatorAction.Type] = [CreateApp.self, InviteOperator.self]

    func changes() async throws -> [FindRow] {
        let command = TypedCommand(text)
        guard command.list.isEmpty else { return try await changesOfList(command) }
        guard let member = command.member else {
            return try await changes(command, in: Array(near), .none) + changesOfServer()
        }
        var rows: [FindRow] = []
        for place in places where rows.count < limit {
            let found = try await place.run(.players(foundBy: member)).filter { [.userID, .beginning].contains($0.by) }
            for member in found.prefix(Self.commandMembers) where rows.count < limit {
                rows += try await changes(command, in: [place], .member(member))
            }
        }
        return rows
    }

    /// What a change is about.
    private enum Target {
        case none
        case member(FoundPlayer)
        case list([String])

        var fields: [String: String] {
            switch self {
            case .none: [:]
            case .member(let member): ["user": member.user.rawValue]
            case .list(let users): ["users": users.joined(separator: "\n")]
            }
        }

        func suits(_ about: OperatorActionAbout) -> Bool {
            switch self {
            case .none: about.standsAlone
            case .member: about.subject == .member
            case .list: about.subject == .members
            }
        }
    }

    /// The changes of a list are those of the app that has its first member, or the second or third.
    private func changesOfList(_ command: TypedCommand) async throws -> [FindRow] {
        for place in places {
            for user in command.list.prefix(Self.commandMembers) {
                guard try await place.run(.players(foundBy: user)).contains(where: { $0.by == .userID }) else {
                    continue
                }
                return try await changes(command, in: [place], .list(command.list))
            }
        }
        return []
    }

    private func changes(_ command: TypedCommand, in places: [PageRequest], _ target: Target) async throws -> [FindRow]
    {
        var rows: [FindRow] = []
        for place in places {
            for action in OperatorActions.all where rows.count < Self.commandChanges {
                let about = action.about
                guard target.suits(about), place.role >= about.role else { continue }
                let title = words.optional("find.deed.\(about.name)") ?? words("deed.\(about.name)")
                guard command.mayAsk(for: title) || command.isList,
                    let fields = try? await place.fields(of: action, FormValues(target.fields)),
                    let filled = command.filled(
                        fields.filter { target.fields[$0.name] == nil }, title, place.local)
                else { continue }
                var values = filled.values.merging(target.fields) { $1 }
                let reason = command.verb == nil ? nil : about.reason(filled.rest)
                values["reason"] = reason
                if case .member = target, !(await place.mayBeDone(action, FormValues(values), fields)) { continue }
                var row = FindRow(
                    title: Cell(title), address: place.actionAddress(action, values),
                    notes: filled.texts + [reason.map { "“\($0)”" }].compactMap(\.self))
                switch target {
                case .none: break
                case .member(let member):
                    row.state = place.memberState(member.status)
                    row.notes.append(member.user.rawValue)
                case .list(let users):
                    row.notes.append(words("refusal.player-count", ["count": Words.number(users.count)]))
                }
                row.notes += appName(place)
                // The form shows what will happen, and nothing happens before it is confirmed.
                row.isExact = !filled.texts.isEmpty
                rows.append(row)
            }
        }
        if let meant = command.meant(rows.map(\.title.text)) { rows[meant].isMeant = true }
        return rows
    }

    private func changesOfServer() -> [FindRow] {
        guard let role = page.person.serverRole else { return [] }
        return Self.ofServer.compactMap { action in
            let name = action.about.name
            let title = words("deed.\(name)")
            guard role >= action.about.role, looked.match(title) else { return nil }
            return FindRow(title: Cell(title), address: "\(Console.prefix)/do/\(name)")
        }
    }

    // MARK: What others have changed

    /// Those who have lately changed something, by their names, with a day where one is typed: `tom yesterday`.
    func people() async throws -> [FindRow] {
        var names = typed.words
        // A name is one word, and a day is one.
        guard (1...2).contains(names.count) else { return [] }
        let range = [QuickRange.today, .yesterday].first { range in
            let label = words("range.\(range.rawValue)").lowercased()
            guard let place = names.firstIndex(where: { $0.lowercased() == label }) else { return false }
            names.remove(at: place)
            return true
        }
        guard let name = names.first, names.count == 1 else { return [] }
        if page.place == nil, page.person.serverRole == .owner {
            return people(try await page.run(.recordedPeople), named: name, range) {
                "\(Console.prefix)/audit?" + FormValues($0).encoded
            }
        }
        var rows: [FindRow] = []
        for place in near where place.may(.operator) {
            rows += people(try await place.run(.recordedPeople), named: name, range, appName(place)) {
                place.address("audit") + "?\(FormValues($0).encoded)"
            }
        }
        return rows
    }

    private func people(
        _ people: [String], named name: String, _ range: QuickRange?, _ notes: [String] = [],
        at address: ([String: String]) -> String
    ) -> [FindRow] {
        people.filter { FindWords([name]).match($0) }.map { person in
            let day = range.map { words("range.\($0.rawValue)") }
            let fields = ["by": person, "range": range?.rawValue].compactMapValues(\.self)
            return FindRow(
                title: Cell(person), address: address(fields),
                notes: [words("nav.audit"), day].compactMap(\.self) + notes,
                isExact: range != nil || name.lowercased() == person)
        }
    }
}

extension OperatorActionAbout {
    /// The words that no field has taken, if they can be a reason.
    fileprivate func reason(_ words: [String]) -> String? {
        let text = words.joined(separator: " ")
        return step > .plain && (4...1_000).contains(text.unicodeScalars.count) ? text : nil
    }
}

extension PageRequest {
    /// Whether a change is possible as far as its form is filled in, so that nobody is led to one that is not.
    fileprivate func mayBeDone(
        _ action: any OperatorAction.Type, _ values: FormValues, _ fields: [Field]
    ) async -> Bool {
        do {
            let page = ActionPage(action, values, fields: filled(fields, values))
            _ = try await preview(of: action, page.sent)
            return true
        } catch is InputProblems {
            // Something has still to be filled in.
            return true
        } catch {
            return false
        }
    }
}

extension TypedCommand {
    /// The place of the title that the verb means: the one that it is, or for a list the shortest, such as *Ban members* before *Release
    /// bans of a list* for `ban`.
    fileprivate func meant(_ titles: [String]) -> Int? {
        guard let verb else { return nil }
        if let same = titles.firstIndex(where: { $0.folded.words == verb.all }) { return same }
        let lengths = titles.map(\.utf8.count)
        guard !list.isEmpty, let least = lengths.min(), lengths.count(where: { $0 == least }) == 1 else { return nil }
        return lengths.firstIndex(of: least)
    }

    /// Whether it is a list of members without a word.
    fileprivate var isList: Bool { !list.isEmpty && verb == nil && arguments.isEmpty }

    /// What it fills in of the form of the change with this title; nil if it asks for another.
    fileprivate func filled(_ fields: [Field], _ title: String, _ local: LocalTime) -> FilledFields? {
        // Where the words are those of the title alone, none of them fills in a field.
        if member == nil, FindWords(arguments).match(title) {
            return FilledFields([], in: fields, hasVerb: true, local)
        }
        let filled = FilledFields(arguments, in: fields, hasVerb: verb == nil, local)
        // A choice may have taken all words, such as `update required below 2.0`.
        let isAll = filled.rest.isEmpty && (isList || member == nil && !filled.values.isEmpty)
        return verb != nil || isAll || FindWords(filled.rest).match(title) ? filled : nil
    }
}

extension OperatorActionAbout {
    /// Whether its form needs nothing but the app.
    fileprivate var standsAlone: Bool {
        switch subject {
        case .app, .members, .signingKeys: true
        case .secrets, .clientRules, .banTemplate, .reply, .testDevice, .alertReceivers:
            name.ends(with: ".added") || name.ends(with: ".created")
        case .member, .provider, .job, .person, .newApp: false
        }
    }
}
