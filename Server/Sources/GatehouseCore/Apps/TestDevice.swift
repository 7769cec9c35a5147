package import GatehouseSecurity
package import GatehouseWire

/// A device that can play whatever its app's status is.
package struct TestDevice: Sendable, Hashable {
    package let key: KeyThumbprint
    package let note: String
    package let addedAt: Moment
}
