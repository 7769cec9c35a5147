import GatehouseWire

/// The device of a login.
struct LoginDevice: Sendable {
    /// The device's key, to which the session is bound.
    let key: KeyThumbprint
    let view: Viewpoint
    let lifetimes: SessionLifetimes
    /// Information about the device.
    var client: ClientInformation?
    /// Where its key is, as it says.
    var keyProtection: KeyProtection?
}
