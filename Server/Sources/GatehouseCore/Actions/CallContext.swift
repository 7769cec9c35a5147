package import GatehouseSecurity
package import GatehouseWire

/// The context of one call: the app, the time, the player's languages and client, and what identifies the call in a log. A class, so that
/// passing it along doesn't copy the app.
package final class CallContext: Sendable {
    package let app: App
    let languages: [String]
    package let moment: Moment
    /// What the device says of itself, as its header has it (``ClientInformation``).
    private let clientHeader: String?
    private let keyProtectionHeader: String?
    /// The first of the app's rules that matches the client; nil if none does.
    let clientRule: ClientRule?
    /// The keys that sign the app's access tokens. Only players' calls need them.
    let keys: SigningKeySet
    let address: ClientAddress
    package let transactionID: TransactionID?

    package init(
        app: App, languages: [String] = [], moment: Moment, clientHeader: String? = nil,
        keyProtectionHeader: String? = nil, keys: SigningKeySet = SigningKeySet(keys: [], tokenLifetimeSeconds: 0),
        address: ClientAddress = .unknown, transactionID: TransactionID? = nil
    ) {
        self.app = app
        self.languages = languages
        self.moment = moment
        self.clientHeader = clientHeader
        self.keyProtectionHeader = keyProtectionHeader
        self.keys = keys
        self.address = address
        self.transactionID = transactionID
        // Most apps have no rules, and what a device says of itself is not read for them.
        clientRule =
            app.clientRules.isEmpty ? nil : Self.client(clientHeader).flatMap { app.clientRules.first(matching: $0) }
    }

    /// The context of a call about the server as a whole.
    package static func ofServer(
        languages: [String] = [], moment: Moment, address: ClientAddress = .unknown,
        transactionID: TransactionID? = nil
    ) -> CallContext {
        CallContext(
            app: .ofServer, languages: languages, moment: moment, address: address, transactionID: transactionID)
    }

    /// Nil in a call about the server as a whole.
    var appID: AppID? { app.id == App.ofServer.id ? nil : app.id }

    /// Nil if the device sent no information, or none that can be read. It is read only when it is needed, because most calls need none.
    var client: ClientInformation? { Self.client(clientHeader) }

    /// Where the device says that its key is; nil if it says nothing.
    ///
    /// - Throws: 3 for a header that is no word.
    func keyProtection() throws -> KeyProtection? {
        guard let keyProtectionHeader else { return nil }
        guard let protection = KeyProtection(headerValue: keyProtectionHeader) else {
            throw Refusal(
                .invalidParameter,
                "\(HeaderNames.keyProtection) is one word of 1 to 32 small letters, digits and underscores.",
                details: ErrorDetails(parameter: HeaderNames.keyProtection))
        }
        return protection
    }

    private static func client(_ header: String?) -> ClientInformation? {
        header.flatMap { ClientInformation(headerValue: $0) }
    }

    func text(_ text: LocalizedText?) -> String? {
        text?.text(preferring: languages, fallback: app.defaultLanguage)
    }
}
