package import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Creates an app with the settings of another one. It gets neither its members nor its keys and secrets, nor what would let players of
/// one game into the other.
package struct CreateAppLike: ServerAction {
    let id: AppID
    let name: String
    let other: AppID

    package init(id: AppID, name: String, like other: AppID) {
        self.id = id
        self.name = name
        self.other = other
    }

    package struct Outcome: Sendable {
        /// The new app's secret key, which is returned only here.
        package let secret: SecretKey
        package let lines: [AppCopyLine]
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        // Two apps have no common transaction (docs/scaling.md). What changes in the other app meanwhile is not copied.
        let pattern = try await services.database.read { [vault = services.vault] tx in
            guard let app = try AppQueries.app(other, in: tx) else { throw AppRules.unknownApp }
            return try AppPattern(of: Viewpoint(app: app, moment: moment), vault: vault, in: tx)
        }
        let create = CreateApp(id: id, name: name, details: ["like": other.rawValue]) { change, tx in
            try pattern.write(change, in: tx)
        }
        let secret = try await create.perform(services, by: actor, at: moment)
        return Outcome(secret: secret, lines: pattern.lines)
    }
}
