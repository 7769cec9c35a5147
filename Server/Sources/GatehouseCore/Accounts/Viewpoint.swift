package import GatehouseSecurity

/// The context of a request: app, time and preferred languages. A class, so that passing it along doesn't copy the app.
package final class Viewpoint: Sendable {
    package let app: App
    let languages: [String]
    package let moment: Moment

    package init(app: App, languages: [String] = [], moment: Moment) {
        self.app = app
        self.languages = languages
        self.moment = moment
    }

    func text(_ text: LocalizedText?) -> String? {
        text?.text(preferring: languages, fallback: app.defaultLanguage)
    }
}
