import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What an operator is told before players get something else.
extension OperatorView {
    /// What players read in each language after a change that is not made yet.
    ///
    /// - Parameters:
    ///   - draft: the app after the change.
    ///   - moment: nil for now.
    ///   - client: what the player's device says of itself; nil for one that says nothing.
    func readings(
        of draft: App, at moment: Moment? = nil, client: ClientInformation? = nil
    ) -> [(language: String, text: String)] {
        draft.playerLanguages(after: formLanguages).compactMap { language in
            let view = Viewpoint(
                app: draft, languages: [language], moment: moment ?? self.moment, clientHeader: client?.headerValue)
            return PreviewLaunching.outcome(view).message.map { (language, $0) }
        }
    }

    /// What it means that nobody can log in.
    func closedSentences(in tx: Reader) throws -> [Phrase] {
        let devices = try AppQueries.testDevices(of: app, in: tx).count
        return [
            "launching.logins-refused", "launching.sessions-stay",
            Phrase("launching.devices-pass", ["count": .count(devices)]),
        ]
    }
}

extension App {
    /// The languages for which a text can be different: those of the forms, those of the texts, and the default.
    package func playerLanguages(after formLanguages: [String]) -> [String] {
        let texts =
            Array(statusMessage.texts.keys) + Array(maintenance?.message.texts.keys ?? [:].keys)
            + clientRules.flatMap(\.message.texts.keys)
        let others = Set(texts + [defaultLanguage]).subtracting(formLanguages).sorted()
        return formLanguages + others.prefix(29)
    }
}

extension Phrase {
    /// An app's status in words.
    static func status(_ status: LaunchingStatus) -> Phrase {
        LaunchingStatus.named.contains { $0.status == status }
            ? Phrase("status.\(status.rawValue)") : .verbatim(String(status.rawValue))
    }
}
