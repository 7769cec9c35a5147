/// From where a player looks: the app, the moment, and the languages that the player reads, best first.
struct Viewpoint: Sendable {
    let app: App
    let languages: [String]
    let moment: Moment

    func text(_ text: LocalizedText?) -> String? {
        text?.text(preferring: languages, fallback: app.defaultLanguage)
    }
}
