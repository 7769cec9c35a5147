import GatehouseConsole
import GatehouseCore
import GatehouseWire

/// What came of an operator's action, as the terminal shows it.
struct ActionDone: Encodable {
    struct Secret: Encodable {
        let label: String
        let text: String
    }

    let action: String
    /// What is shown now and never again.
    let secrets: [Secret]
    /// Another member whom it has concerned.
    let other: String?
    /// The members to whom it was not done.
    let failed: [String]
    private let title: String

    private enum CodingKeys: CodingKey {
        case action, secrets, other, failed
    }

    init(_ result: ActionResult, of about: OperatorActionAbout, in language: PhraseFormatter) {
        action = about.name
        title = language.title(of: about)
        secrets = result.secrets.map { Secret(label: language.text($0.label), text: $0.text) }
        other = result.other?.rawValue
        failed = result.failed.map(\.rawValue)
    }

    func show(asJSON: Bool) throws {
        guard !asJSON else { return try Terminal.json(self) }
        Terminal.say(failed.isEmpty ? "\(title): done" : "\(title): not done for all")
        for secret in secrets { Terminal.say("\(secret.label)  \(secret.text)") }
        if let other { Terminal.say("\(other) is concerned, too") }
        for user in failed { Terminal.say("\(user) is as before") }
    }
}
