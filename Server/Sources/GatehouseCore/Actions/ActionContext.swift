import GatehouseSecurity
import GatehouseWire

/// The context of one request: the app, the time, the player's languages, and what identifies the request in a log.
package struct ActionContext: Sendable {
    /// The app, the time and the preferred languages.
    let view: Viewpoint
    /// The keys that sign the app's access tokens.
    let keys: SigningKeySet
    var address = ClientAddress.unknown
    var transactionID: TransactionID?
    /// Information about the device; nil if it sent none, or none that can be read.
    var client: ClientInformation?
}
