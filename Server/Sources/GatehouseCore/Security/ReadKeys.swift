import GatehouseSecurity
package import GatehouseWire

/// Reads the public keys of an app, for game servers that verify tokens themselves.
package struct ReadKeys: Action {
    package static let permission = Permission.play

    package init() {}

    package func perform(_ work: Work) async throws -> KeySet {
        KeySet(keys: work.context.keys.published(at: work.moment).map(\.published))
    }
}
