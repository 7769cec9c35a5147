import ArgumentParser
import GatehouseConsole
import GatehouseCore
import GatehouseSecurity
import GatehouseWire

/// How a command gives its result: in words for people, or with --json in lines for programs.
struct OutputArguments: ParsableArguments {
    @Flag(
        help: """
            Print the result for programs, each line a JSON object: what was asked for or made; after another change, its record in the \
            audit.
            """)
    var json = false

    func validate() { if json { Terminal.serveProgram() } }

    /// Gives what came of a change: sentences, or one object.
    func result(_ facts: [Fact], _ sentences: Terminal.Text...) throws {
        guard !json else { return try show(facts) }
        for sentence in sentences { Terminal.say(sentence) }
    }

    /// Says to people what is done. A program reads the change's record instead.
    func done(_ sentence: Terminal.Text) {
        if !json { Terminal.say(sentence) }
    }

    /// Gives what there is to say of one thing: a line for each fact, or one object.
    ///
    /// - Parameter width: where the values begin, if other lines follow that begin there, too.
    func show(_ facts: [Fact], width: Int? = nil) throws {
        guard !json else {
            return try Terminal.json(JSONValue.object(Dictionary(facts.map { ($0.name, $0.shown.value) }) { $1 }))
        }
        let width = width ?? (facts.map(\.label.count).max() ?? 0) + 2
        for fact in facts {
            let gap = String(repeating: " ", count: max(1, width - fact.label.count))
            Terminal.say("\(fact.label)\(gap)\(fact.shown.text)")
        }
    }

    /// Gives a list: a table with headings, or an object for each row.
    ///
    /// - Parameter columns: the names that programs read, such as `userId`; the heading is `USER ID`.
    func list(_ columns: [String], _ rows: [[Shown]]) throws {
        guard !json else {
            for row in rows {
                try Terminal.json(JSONValue.object(Dictionary(zip(columns, row.map(\.value))) { $1 }))
            }
            return
        }
        // This goes to standard error, so that a script that counts the lines of an empty list counts none.
        guard !rows.isEmpty else { return Terminal.complain("There are none.") }
        Terminal.table([columns.map { Fact.words($0).uppercased() }] + rows.map { $0.map(\.text) })
    }

    /// The log of changes, besides the audit log in the database.
    var records: AuditLog {
        guard json else { return .inDatabaseAlone }
        return AuditLog { entry in
            var record = entry.subject
            if let app = entry.app { record["appId"] = app.rawValue }
            record["audit"] = entry.event
            record["actor"] = entry.actor.rawValue
            try? Terminal.json(record)
        }
    }
}

extension AuditLog {
    /// For commands: their records are in the database, and servers write them to their logs.
    static let inDatabaseAlone = AuditLog { _ in }
}

/// A fact of a command's result.
struct Fact {
    /// The name that programs read, such as `userId`.
    let name: String
    /// The words that people read, such as `user id`.
    let label: String
    let shown: Shown

    init(_ name: String, label: String? = nil, _ shown: Shown) {
        self.name = name
        self.label = label ?? Self.words(name)
        self.shown = shown
    }

    /// The words of a name, such as `last login` for `lastLogin`.
    static func words(_ name: String) -> String {
        name.reduce(into: "") { words, letter in
            if letter.isUppercase { words += " " }
            words += letter.lowercased()
        }
    }
}

/// A value of a command's result, in words and in JSON.
struct Shown {
    let text: String
    let value: JSONValue

    static func text(_ text: String?) -> Shown {
        guard let text else { return Shown(text: "-", value: .null) }
        return Shown(text: text, value: .string(text))
    }

    static func time(_ milliseconds: Int64?) -> Shown { text(milliseconds.map { Words.time($0) }) }

    static func count(_ count: Int) -> Shown { Shown(text: "\(count)", value: .integer(Int64(count))) }

    static func list(_ words: [String], separator: String = ",") -> Shown {
        Shown(text: words.joined(separator: separator), value: .array(words.map { .string($0) }))
    }

    static func counts(_ counts: [String: Int]) -> Shown {
        let text = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return Shown(text: text, value: .object(counts.mapValues { .integer(Int64($0)) }))
    }

    static func isOn(_ isOn: Bool) -> Shown { Shown(text: isOn ? "on" : "off", value: .bool(isOn)) }

    /// A member's status: people read its name beside the letter of Gamebase's API, which programs get.
    static func status(_ status: MemberStatus) -> Shown {
        let word = Phrase.Value.word("member.state.\(status.rawValue)", or: "unknown")
        return Shown(
            text: "\(status.rawValue) (\(english.text(word).lowercased()))", value: .string(status.rawValue))
    }

    private static let english = PhraseFormatter.english(at: Moment(milliseconds: 0))
}
