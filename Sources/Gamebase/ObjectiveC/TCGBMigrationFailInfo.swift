import Gatehouse
import GatehouseWire

/// Why a player of NHN's Gamebase does not come to this device. It comes with error 3201.
///
/// | ``reason`` | What the game does |
/// |---|---|
/// | ``kTCGBMigrationProviderRequired`` | It has the player log in with one of ``providers``. |
/// | ``kTCGBMigrationGuestExists`` | It asks the player whether the old account may replace the guest on this device, and calls again with `replacingGuest`. |
/// | ``kTCGBMigrationClaimed`` | Another device has the account. It shows how to reach the support. |
/// | ``kTCGBMigrationUnknown`` | Nobody was imported by this id. It logs the player in as usual. |
/// | ``kTCGBMigrationClosed`` | The time of the move is over. It logs the player in as usual. |
/// | ``kTCGBMigrationServerRequired`` | The operator lets the game's own server alone bring players. |
#if canImport(ObjectiveC)
@objc(TCGBMigrationFailInfo) @objcMembers
#endif
public final class TCGBMigrationFailInfo: TCGBValueObject, @unchecked Sendable {  // Both are constants.
    /// One of the constants in the table above, or a word of a newer server.
    public let reason: String
    /// The identity providers with which the player can log in; nil unless the reason asks for one.
    public let providers: [String]?

    private init(reason: String, providers: [String]?) {
        self.reason = reason
        self.providers = providers
        var json: [String: JSONValue] = ["reason": .string(reason)]
        json["providers"] = providers.map { .array($0.map { .string($0) }) }
        super.init(json: json)
    }

    convenience init?(_ error: TCGBError) {
        guard let details = error.cause?.details, let reason = details.reason?.rawValue, reason.hasPrefix("legacy_")
        else { return nil }
        self.init(reason: reason, providers: details.providers?.map(\.rawValue))
    }

    /// The reason in an error; nil for any other error.
    public static func migrationFailInfo(fromError error: TCGBError) -> TCGBMigrationFailInfo? {
        TCGBMigrationFailInfo(error)
    }

    /// The same as ``migrationFailInfo(fromError:)``.
    @nonobjc public static func migrationFailInfo(from error: TCGBError) -> TCGBMigrationFailInfo? {
        TCGBMigrationFailInfo(error)
    }
}
