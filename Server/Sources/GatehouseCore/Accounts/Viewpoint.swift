package import GatehouseSecurity
import GatehouseWire

/// The context of a request: app, time, preferred languages and client. A class, so that passing it along doesn't copy the app.
package final class Viewpoint: Sendable {
    package let app: App
    let languages: [String]
    package let moment: Moment
    /// What the device says of itself, as its header has it (``ClientInformation``).
    private let clientHeader: String?
    /// The first of the app's rules that matches the client; nil if none does.
    let clientRule: ClientRule?

    package init(app: App, languages: [String] = [], moment: Moment, clientHeader: String? = nil) {
        self.app = app
        self.languages = languages
        self.moment = moment
        self.clientHeader = clientHeader
        // Most apps have no rules, and what a device says of itself is not read for them.
        clientRule =
            app.clientRules.isEmpty ? nil : Self.client(clientHeader).flatMap { app.clientRules.first(matching: $0) }
    }

    /// Nil if the device sent no information, or none that can be read. It is read only when it is needed, because most calls need none.
    var client: ClientInformation? { Self.client(clientHeader) }

    private static func client(_ header: String?) -> ClientInformation? {
        header.flatMap { ClientInformation(headerValue: $0) }
    }

    func text(_ text: LocalizedText?) -> String? {
        text?.text(preferring: languages, fallback: app.defaultLanguage)
    }
}
