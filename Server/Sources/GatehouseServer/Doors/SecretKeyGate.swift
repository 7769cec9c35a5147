import GatehouseCore
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes

/// Authenticates game servers by an app's secret keys.
struct SecretKeyGate: Sendable {
    /// Where the use of a key is noted.
    let uses: SecretUses

    func admit(_ visit: ContractDoor.Visit) throws -> (actor: Actor, once: Once) {
        // Devices' endpoints have a gate of their own.
        guard case .secretKey(let scope) = visit.endpoint.access else { throw Refusal(.userPermission) }
        let scopes = try scopes(of: visit.headers, for: scope, app: visit.app, from: visit.address, at: visit.moment)
        return (Actor(principal: .gameServer(scopes), door: .httpAPI), Once(owner: .gameServer))
    }

    /// Refuses with 5 a caller without one of the app's secret keys, or with one that lacks the scope that the call needs.
    ///
    /// - Returns: the scopes of the caller's key.
    func scopes(
        of headers: HTTPFields, for scope: SecretKeyScope, app: AppDirectory.Entry, from address: ClientAddress,
        at moment: Moment
    ) throws -> Set<SecretKeyScope> {
        let values = headers.values(of: Headers.secretKey)
        guard let secret = app.secret(SecretKey(values.first ?? "")), values.count == 1 else {
            throw Refusal(.userPermission, audit: "secret-key.refused")
        }
        guard secret.scopes.contains(scope) else {
            throw Refusal(
                .userPermission, "The secret key lacks the scope \(scope.rawValue).", reason: .scope,
                httpStatus: 403, audit: "secret-key.refused")
        }
        uses.note(secret, of: app.app.id, from: address, at: moment)
        return secret.scopes
    }
}
