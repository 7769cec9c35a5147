package import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// A use case: its input, the permission that it requires, its limits, and one function that performs it. Every door that offers the use
/// case runs the same value.
///
/// It first finishes what is slow, such as identity providers and slow hashes, and then decides in one transaction
/// (``Work/decide(once:_:)``). It knows neither HTTP nor SQL.
package protocol UseCase: Sendable {
    associatedtype Outcome: Sendable

    /// What the actor must be permitted to do.
    var permission: Permission { get }
    /// The least roles of an operator in the console.
    var roles: OperatorRoles { get }
    /// The limits that count every call. Limits that depend on the outcome are applied by the use case itself.
    var limits: [Limit] { get }
    /// What a run is in the operators' audit, by an operator or a game server; nil for what changes nothing that operators answer for.
    var audited: AuditedRun? { get }

    func perform(_ work: Work) async throws -> Outcome
}

extension UseCase {
    package var limits: [Limit] { [] }
    package var audited: AuditedRun? { nil }
}

/// The least roles that an operator needs for a use case: in an app, and on the server as a whole. Nil where it can't be run.
package struct OperatorRoles: Sendable, Hashable {
    package let inApp: OperatorRole?
    package let onServer: OperatorRole?
}

/// A use case about an app for which all runs need the same.
package protocol Action: UseCase {
    static var permission: Permission { get }
    static var role: OperatorRole { get }
    static var limits: [Limit] { get }

    // They are told again, so that the outcome is inferred.
    associatedtype Outcome
    func perform(_ work: Work) async throws -> Outcome
}

extension Action {
    package static var role: OperatorRole { .owner }
    package static var limits: [Limit] { [] }
    package var permission: Permission { Self.permission }
    package var roles: OperatorRoles { OperatorRoles(inApp: Self.role, onServer: nil) }
    package var limits: [Limit] { Self.limits }
}

/// A change by a player of the player's own account. Every one is counted against its device and its member.
package protocol PlayerChange: Action {}

extension PlayerChange {
    package static var permission: Permission { .play }
    package static var limits: [Limit] {
        [.changes]
    }
}

/// A use case that concerns no app in particular: the whole server, or an app that does not exist yet. Only operators have them.
package protocol ServerAction: Sendable {
    associatedtype Outcome: Sendable

    /// The least role on the server of a person at the console. Nil for what needs none, such as the own account.
    static var role: OperatorRole? { get }
    /// Whether the console runs it before it knows who asks: a sign-in, and what leads to it.
    static var isForVisitors: Bool { get }

    func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome
}

extension ServerAction {
    package static var role: OperatorRole? { .owner }
    package static var isForVisitors: Bool { false }
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

/// Runs actions. This is the only way from a door to the rules.
package struct Actions: Sendable {
    package let services: Services

    package init(services: Services) {
        self.services = services
    }

    package func run<Case: UseCase>(
        _ useCase: Case, by actor: Actor, once: CallIdentity = .never, in context: CallContext
    ) async throws -> Case.Outcome {
        let (app, roles) = (context.appID, useCase.roles)
        guard let role = app == nil ? roles.onServer : roles.inApp else { throw Refusal(.userPermission) }
        try actor.require(useCase.permission, as: role)
        var services = services
        if let asker = actor.asker(in: app) { services.database = services.database.asked(by: asker) }
        let observer = ConfirmationRecorder.of(
            useCase.audited, by: actor, app: app, at: context.moment, random: services.random,
            address: context.address, transactionID: context.transactionID)
        let work = Work(services: services, actor: actor, once: once, context: context, observer: observer)
        for limit in useCase.limits { try work.admit(limit) }
        return try await useCase.perform(work)
    }

    package func run<A: ServerAction>(_ action: A, by actor: Actor, at moment: Moment) async throws -> A.Outcome {
        try actor.require(A.self)
        var services = services
        if let asker = actor.asker(in: nil) { services.database = services.database.asked(by: asker) }
        return try await action.perform(services, by: actor, at: moment)
    }

    /// The context of an operator's action on an app, as the database has the app now.
    package func context(of id: AppID, at moment: Moment) async throws -> CallContext {
        guard let app = try await services.database.read({ tx in try AppQueries.app(id, in: tx) }) else {
            throw AppRules.unknownApp
        }
        return CallContext(app: app, moment: moment)
    }
}
