import GatehouseSecurity
import GatehouseWire

/// The parameters of a job that sends a message.
struct AlertPayload: JobPayload {
    let receiver: String
    /// When it was found out, in milliseconds.
    let at: Int64
    /// Nil for a test, whose words the server that sends it finds.
    let text: AlertText?
    /// What a webhook gets, so that each attempt sends the same bytes.
    let body: String?

    var lane: String { "alert \(receiver)" }
}
