import GatehouseProviders
import GatehouseWire

/// What a device shows for being a player of another system.
struct LegacyClaim: Sendable {
    enum Proof: Sendable {
        /// The old system, or its key, says whose the credential is.
        case person(LegacyPerson)
        /// An id that the old system has taken as a credential.
        case bareID(LegacyCredential.Kind, ProviderToken)
    }

    let source: String
    let proof: Proof
    let replacesGuest: Bool

    var isBare: Bool { person == nil }

    var person: LegacyPerson? {
        if case .person(let person) = proof { person } else { nil }
    }
}
