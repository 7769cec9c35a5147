import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What a game fetches before anyone logs in.
struct LaunchingRoutes: Sendable {
    let database: Database

    func launching(_ call: Call<Empty>) async throws -> Answer<LaunchingInformation> {
        Answer(
            try await database.read { tx in
                try LaunchingRules.information(device: call.caller.proof?.key, call.view, in: tx)
            })
    }
}
