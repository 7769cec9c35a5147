import GatehouseConsole
import GatehouseCore
import GatehouseWire

/// What an operator's action would do, as the terminal shows it.
struct ActionPreview: Encodable {
    let action: String
    let title: String
    let consequences: [String]
    let playerReads: [String: String]
    /// The names of the columns, and then the rows.
    let table: [[String]]
    let undo: String
    /// What has to be typed.
    let confirm: String?

    init(_ preview: Preview, of about: OperatorActionAbout, in language: PhraseFormatter) {
        action = about.name
        title = language.text(preview.title)
        consequences = preview.consequences.map(language.text)
        playerReads = Dictionary(preview.playerReads.map { ($0.language, $0.text) }) { $1 }
        table =
            preview.table.map { table in
                [table.columns.map(language.text)] + table.rows.map { $0.map { Self.text($0, in: language) } }
            } ?? []
        undo = language.text(preview.undo)
        confirm = preview.typed
    }

    func show(asJSON: Bool) throws {
        guard !asJSON else { return try Terminal.json(self) }
        Terminal.say("\(title)")
        for consequence in consequences { Terminal.say("- \(consequence)") }
        for (language, text) in playerReads.sorted(by: { $0.key < $1.key }) {
            Terminal.say("the player reads  \(language)=\(text)")
        }
        Terminal.table(table)
        Terminal.say("\(undo)")
        if let confirm { Terminal.say("It needs --confirm \(confirm).") }
    }

    private static func text(_ cell: Preview.Cell, in language: PhraseFormatter) -> String {
        switch cell {
        case .member(let user, _): user.rawValue
        case .state(let status): status?.rawValue ?? "-"
        case .mark(let phrase, _): language.text(phrase)
        case .text(let phrase, let note):
            ([phrase] + [note].compactMap(\.self)).map(language.text).joined(separator: ", ")
        case .providers(let providers): language.text(.providers(providers))
        case .value(let value): language.text(value)
        }
    }
}
