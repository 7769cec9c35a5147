/// From where a player looks: the app, the moment, and the languages that the player reads, best first. A class, because it
/// is handed from hand to hand with every call, and an app is large.
final class Viewpoint: Sendable {
    let app: App
    let languages: [String]
    let moment: Moment

    init(app: App, languages: [String] = [], moment: Moment) {
        self.app = app
        self.languages = languages
        self.moment = moment
    }

    func text(_ text: LocalizedText?) -> String? {
        text?.text(preferring: languages, fallback: app.defaultLanguage)
    }
}
