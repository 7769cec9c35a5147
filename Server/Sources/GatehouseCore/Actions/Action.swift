import GatehouseSecurity

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

    /// What a run is in the operators' audit, by an operator or a game server; nil for what changes nothing that operators answer for.
    var audited: AuditedRun? { get }

    func perform(_ work: Work) async throws -> Outcome
}

extension Action {
    package static var role: OperatorRole { .owner }
    package static var limits: [Limit] { [] }
    package var audited: AuditedRun? { nil }
}
