package import GatehouseSecurity
package import GatehouseWire

/// The context of one request: the app, the time, the player's languages, and what identifies the request in a log.
package struct ActionContext: Sendable {
    /// The app, the time and the preferred languages.
    package let view: Viewpoint
    /// The keys that sign the app's access tokens.
    let keys: SigningKeySet
    var address: ClientAddress
    package var transactionID: TransactionID?

    package init(
        view: Viewpoint, keys: SigningKeySet, address: ClientAddress = .unknown, transactionID: TransactionID? = nil
    ) {
        self.view = view
        self.keys = keys
        self.address = address
        self.transactionID = transactionID
    }
}
