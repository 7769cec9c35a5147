import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

extension Visit {
    /// A field for a text in each language: those of the console, and those that have a text already.
    func messageFields(_ name: String, _ texts: [String: String]) -> [Field] {
        let others = Set(texts.keys).subtracting(Words.languages).sorted()
        return (Words.languages + others).map { language in
            Field(
                "\(name).\(language)", words("launching.text", ["language": languageName(language)]), .lines,
                value: texts[language] ?? "",
                help: language == place?.app.defaultLanguage ? words("launching.text-default") : nil, limit: 1_000)
        }
    }

    /// What players read in each language after a change that is not made yet.
    func readings(
        of draft: App, at moment: Moment?, client: ClientInformation? = nil
    ) async throws -> [(language: String, text: String)] {
        var readings: [(language: String, text: String)] = []
        for language in playerLanguages(draft) {
            let outcome = try await run(PreviewLaunching(of: draft, languages: [language], at: moment, client: client))
            guard let text = outcome.message else { continue }
            readings.append((languageName(language), text))
        }
        return readings
    }

    /// What it means that nobody can log in.
    func closedSentences() async throws -> [String] {
        let devices = try await run(ListTestDevices()).count
        return [
            words("launching.logins-refused"), words("launching.sessions-stay"),
            words("launching.devices-pass", ["count": String(devices)]),
        ]
    }
}
