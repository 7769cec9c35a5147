import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// The public keys of an app, for game servers that verify tokens themselves.
struct KeyRoutes: Sendable {
    let directory: AppDirectory

    func keys(_ call: Call<Empty>) async throws -> Answer<KeySet> {
        let keys = try await directory.entry(call.app.id).keys
        return Answer(
            KeySet(keys: keys.published(at: call.moment).map(\.published)),
            cacheControl: "public, max-age=\(KeyRules.cacheSeconds)")
    }
}
