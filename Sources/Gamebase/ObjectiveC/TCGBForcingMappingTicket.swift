import Foundation
import Gatehouse
import GatehouseWire

/// Resolves 3302: the identity belongs to another member, and the player may move it here or log in as that member.
#if canImport(ObjectiveC)
@objc(TCGBForcingMappingTicket) @objcMembers
#endif
public final class TCGBForcingMappingTicket: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: ForcingMappingTicket

    /// The member that asked for the mapping.
    public var userId: String { value.userId.rawValue }
    /// The member that has the identity.
    public var mappedUserId: String { value.mappedUserId.rawValue }
    /// The other member's status: `Y`, `B`, `T` or `P`.
    public var mappedUserValid: String { value.mappedUserValid.rawValue }
    /// The identity provider of the identity.
    public var idPCode: String { value.provider.rawValue }
    /// The secret that uses the ticket. It works once, for a limited time, and in this session.
    public var forcingMappingKey: String { value.forcingMappingKey.secretValue }
    /// When the ticket expires, in milliseconds since 1970, UTC.
    public var expirationDate: Int64 { value.expirationDate }
    /// Always nil, because the server keeps what the provider issued.
    public var accessToken: String? { nil }

    init(_ value: ForcingMappingTicket) {
        self.value = value
        super.init(json: value.gamebaseJSON)
    }

    convenience init?(_ error: TCGBError) {
        guard let ticket = error.cause?.forcingMappingTicket else { return nil }
        self.init(ticket)
    }

    /// The ticket in an error; nil for any other error.
    public static func forcingMappingTicket(fromError error: TCGBError) -> TCGBForcingMappingTicket? {
        TCGBForcingMappingTicket(error)
    }

    /// The same as ``forcingMappingTicket(fromError:)``.
    @nonobjc public static func forcingMappingTicket(from error: TCGBError) -> TCGBForcingMappingTicket? {
        TCGBForcingMappingTicket(error)
    }

    /// The same as ``forcingMappingTicket(fromError:)``.
    @available(*, deprecated, renamed: "forcingMappingTicket(fromError:)")
    public static func forcingMappingTicket(withError error: TCGBError) -> TCGBForcingMappingTicket? {
        TCGBForcingMappingTicket(error)
    }
}
