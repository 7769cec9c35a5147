package import GatehouseProviders
package import GatehouseSecurity
import GatehouseWire

/// A system that players come from, as an operator has set it for an app.
package struct LegacySource: Sendable, Hashable {
    package let name: String
    package let kind: LegacySourceKind
    package var settings: LegacySettings
    /// The exchange ends then, if the operator doesn't close the source before.
    package var openUntil: Moment
    package let createdAt: Moment
    package var closedAt: Moment?
    /// ``LegacySecrets``; nil when the source is closed.
    var sealedSettings: [UInt8]?

    func isOpen(at moment: Moment) -> Bool { closedAt == nil && moment < openUntil }
}
