import GatehouseStorage
package import GatehouseWire

/// Reads what a game fetches before anyone logs in.
package struct ReadLaunchingInformation: Action {
    package static let permission = Permission.play

    package init() {}

    package func perform(_ work: Work) async throws -> LaunchingInformation {
        let (key, view) = (work.actor.key, work.view)
        return try await work.read { tx in try LaunchingRules.information(device: key, view, in: tx) }
    }
}
