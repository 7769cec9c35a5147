import GatehouseSecurity
import GatehouseWire

/// Whether a provider's new authority has the same persons with the same subjects as the former one.
enum SamePersons: Sendable {
    case no
    case said(by: OperatorRole)

    init(_ isSaid: Bool, by actor: Actor) {
        self = isSaid ? .said(by: actor.knownRole) : .no
    }

    /// - Throws: 3 if nobody has said so, and 5 if an operator has who is no owner. It decides who logs in as whom.
    func require() throws {
        switch self {
        case .no:
            throw Refusal.parameter(
                "issuer",
                "The provider has players by its former issuer, kind and hosts: another is another provider, with a name of its own. "
                    + "Say --same-persons if it knows the same persons by the same subjects.")
        case .said(let role):
            guard role >= .owner else {
                throw Refusal(
                    .userPermission, "Only an owner may say that another issuer or host has the same persons.",
                    httpStatus: 403)
            }
        }
    }
}
