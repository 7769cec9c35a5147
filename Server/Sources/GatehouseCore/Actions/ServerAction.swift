package import GatehouseSecurity

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
