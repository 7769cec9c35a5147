import Foundation
import Gatehouse
import GatehouseWire

/// Resolves 3302: the identity belongs to another member, and the player may move it here or log in as that member.
#if canImport(ObjectiveC)
@objc(TCGBForcingMappingTicket) @objcMembers
#endif
public final class TCGBForcingMappingTicket: TCGBValueObject, @unchecked Sendable {
    let ticket: ForcingMappingTicket

    /// The member that asked for the mapping.
    public var userId: String { ticket.userId.rawValue }
    /// The member that has the identity.
    public var mappedUserId: String { ticket.mappedUserId.rawValue }
    /// The other member's status: `Y`, `B`, `T` or `P`.
    public var mappedUserValid: String { ticket.mappedUserValid.rawValue }
    public var idPCode: String { ticket.provider.rawValue }
    public var forcingMappingKey: String { ticket.forcingMappingKey.secretValue }
    /// When the ticket expires, in milliseconds since 1970, UTC.
    public var expirationDate: Int64 { ticket.expirationDate }
    /// Always nil, because the server keeps what the provider issued.
    public var accessToken: String? { nil }

    init(_ ticket: ForcingMappingTicket) {
        self.ticket = ticket
        super.init(json: [
            "userId": .string(ticket.userId.rawValue), "mappedUserId": .string(ticket.mappedUserId.rawValue),
            "mappedUserValid": .string(ticket.mappedUserValid.rawValue),
            "idPCode": .string(ticket.provider.rawValue),
            "forcingMappingKey": .string(ticket.forcingMappingKey.secretValue),
            "expirationDate": .integer(ticket.expirationDate),
        ])
    }

    convenience init?(_ error: TCGBError) {
        guard let ticket = error.cause?.forcingMappingTicket else { return nil }
        self.init(ticket)
    }

    /// The ticket in an error; nil for any other error.
    public static func forcingMappingTicket(fromError error: TCGBError) -> TCGBForcingMappingTicket? {
        TCGBForcingMappingTicket(error)
    }

    @nonobjc public static func forcingMappingTicket(from error: TCGBError) -> TCGBForcingMappingTicket? {
        TCGBForcingMappingTicket(error)
    }

    @available(*, deprecated, renamed: "forcingMappingTicket(fromError:)")
    public static func forcingMappingTicket(withError error: TCGBError) -> TCGBForcingMappingTicket? {
        TCGBForcingMappingTicket(error)
    }
}
