import GatehouseSecurity
package import GatehouseServerWire
import GatehouseWire

/// What an actor may be permitted to do.
package enum Permission: Sendable, Hashable {
    /// Everything that concerns only the caller's own account.
    case play
    /// What game servers do, each with a secret key that has this scope.
    case serve(SecretKeyScope)
    /// What every game server may do, whatever the scopes of its key.
    case serveAny
    /// To pass on the report of an identity provider, whose signature the action verifies.
    case report
    /// What only operators do.
    case administer
}

extension Actor {
    /// - Throws: 5 for anybody who does not administer, whatever the role.
    func requireOperator() throws {
        switch principal {
        case .operator, .system: break
        default: throw Refusal(.userPermission)
        }
    }

    /// - Throws: 5 for an actor who may not run the action.
    func require<A: ServerAction>(_ action: A.Type) throws {
        if A.isForVisitors, self == .console { return }
        if let role = A.role { try require(.administer, as: role) } else { try requireOperator() }
    }

    /// - Throws: 5 for an actor without the permission.
    func require(_ permission: Permission, as least: OperatorRole = .owner) throws {
        let isPermitted =
            switch (principal, permission) {
            case (.operator, _): role.map { $0 >= least } ?? false
            case (.system, _): true
            case (.anyone, .play), (.device, .play), (.tokenHolder, .play), (.player, .play): true
            case (.gameServer(let scopes), .serve(let scope)): scopes.contains(scope)
            case (.gameServer, .serveAny): true
            case (.provider, .report): true
            default: false
            }
        guard isPermitted else { throw Refusal(.userPermission) }
    }
}
