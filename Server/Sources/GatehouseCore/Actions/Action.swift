import GatehouseSecurity
package import GatehouseServerWire
import GatehouseWire

/// A use case: its input, the permission that it requires, its limits, and one function that performs it. Every door that offers the use
/// case runs the same value.
///
/// An action first finishes what is slow, such as identity providers and slow hashes, and then decides in one transaction
/// (``Work/decide(repeated:_:)``). It knows neither HTTP nor SQL.
package protocol Action: Sendable {
    associatedtype Outcome: Sendable

    /// What the actor must be permitted to do.
    static var permission: Permission { get }
    /// The least role of an operator in the console.
    static var role: OperatorRole { get }
    /// The limits that count every call. Limits that depend on the outcome are applied by the action itself.
    static var limits: [Limit] { get }

    func perform(_ work: Work) async throws -> Outcome
}

extension Action {
    package static var role: OperatorRole { .owner }
    package static var limits: [Limit] { [] }
}

/// A change by a player of the player's own account. Every one is counted against its device and its member.
package protocol PlayerChange: Action {}

extension PlayerChange {
    package static var permission: Permission { .play }
    package static var limits: [Limit] { [.changes] }
}

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
