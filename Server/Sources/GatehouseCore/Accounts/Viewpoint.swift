import GatehouseSecurity

/// The context of a request: app, time and preferred languages. A class, so that passing it along doesn't copy the app.
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
