import GatehouseSecurity
import GatehouseWire

/// Reads the public keys of an app, for game servers that verify tokens themselves.
struct ReadKeys: Action {
    static let permission = Permission.play

    func perform(_ work: Work) async throws -> KeySet {
        KeySet(keys: work.context.keys.published(at: work.moment).map(\.published))
    }
}
