import GatehouseSecurity
package import GatehouseWire

/// Reads the public keys of an app, for game servers that verify tokens themselves.
package struct ReadKeys: Action {
    package static let permission = Permission.play
    /// How long game servers may cache the answer.
    package static let cacheSeconds = KeyRules.cacheSeconds

    package init() {}

    package func perform(_ work: Work) async throws -> KeySet {
        KeySet(keys: work.context.keys.published(at: work.moment).map(\.published))
    }
}
